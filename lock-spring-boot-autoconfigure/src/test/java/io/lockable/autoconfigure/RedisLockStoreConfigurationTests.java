package io.lockable.autoconfigure;

import java.time.Duration;

import io.lockable.DistributedLocks;
import io.lockable.redis.RedisLockStore;
import io.lockable.store.LockStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.spy;
import static org.mockito.Mockito.times;

/**
 * Tests for {@link LockStoreConfiguration} and {@link LockFailureAnalyzer}. They send no
 * command and need no server.
 */
class RedisLockStoreConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class));

	private final ApplicationContextRunner redisRunner = this.contextRunner
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class));

	@ParameterizedTest
	@ValueSource(strings = { "one", "majority", "all" })
	void replicasAreWaitedForWhenAskedFor(String replicas) {
		this.redisRunner
			.withPropertyValues("distributed-lock.redis.replicas=" + replicas, "distributed-lock.redis.replica-count=2")
			.run((context) -> assertThat(context.getBean(RedisLockStore.class).needsConfirmation()).isTrue());
	}

	@Test
	void waiterTimeoutIsThatOfTheStore() {
		this.redisRunner.run((context) -> assertThat(context.getBean(RedisLockStore.class).lookInterval())
			.isEqualTo(Duration.ofMillis(1800)));
		this.redisRunner.withPropertyValues("distributed-lock.waiter-timeout=5s")
			.run((context) -> assertThat(context.getBean(RedisLockStore.class).lookInterval())
				.isEqualTo(Duration.ofSeconds(3)));
	}

	@Test
	void primaryTemplateIsUsed() {
		this.redisRunner.withUserConfiguration(PrimaryTemplate.class)
			.run((context) -> assertStoreUses(context, "second"));
	}

	@Test
	void templateNamedStringRedisTemplateIsUsed() {
		this.redisRunner.withBean("stringRedisTemplate", StringRedisTemplate.class, () -> template())
			.withBean("other", StringRedisTemplate.class, () -> template())
			.run((context) -> assertStoreUses(context, "stringRedisTemplate"));
	}

	@Test
	void templateOfThePropertyIsUsed() {
		this.redisRunner.withUserConfiguration(TwoTemplates.class)
			.withPropertyValues("distributed-lock.redis.template=second")
			.run((context) -> assertStoreUses(context, "second"));
	}

	@Test
	void severalTemplatesAreAnalyzedWithTheCandidates() {
		this.redisRunner.withUserConfiguration(TwoTemplates.class).run((context) -> {
			FailureAnalysis analysis = analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("several StringRedisTemplate beans", "first, second");
			assertThat(analysis.getAction()).contains("distributed-lock.redis.template", "@Primary");
		});
	}

	@Test
	void unknownTemplateIsAnalyzedWithTheCandidates() {
		this.redisRunner.withUserConfiguration(TwoTemplates.class)
			.withPropertyValues("distributed-lock.redis.template=third")
			.run((context) -> {
				FailureAnalysis analysis = analyze(context.getStartupFailure());
				assertThat(analysis.getDescription()).contains("'third'");
				assertThat(analysis.getAction()).contains("first, second");
			});
	}

	@Test
	void twoConnectionFactoriesWithoutTemplateAreAnalyzed() {
		this.redisRunner.withUserConfiguration(TwoConnectionFactories.class).run((context) -> {
			FailureAnalysis analysis = analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("Several RedisConnectionFactory beans",
					"firstFactory, secondFactory");
			assertThat(analysis.getAction()).contains("StringRedisTemplate", "@Primary");
		});
	}

	@Test
	void missingRedisIsAnalyzed() {
		this.contextRunner.run((context) -> {
			FailureAnalysis analysis = analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("Redis is not configured");
			assertThat(analysis.getAction()).contains("spring-boot-starter-data-redis", "spring.data.redis.host",
					"distributed-lock.store=memory");
		});
	}

	@Test
	void mockedTemplateIsAnalyzed() {
		this.contextRunner.withBean(StringRedisTemplate.class, () -> mock(StringRedisTemplate.class)).run((context) -> {
			FailureAnalysis analysis = analyze(context.getStartupFailure());
			assertThat(analysis.getDescription())
				.contains("the StringRedisTemplate has no connection factory, which is typical of a mock");
			assertThat(analysis.getAction()).contains("@AutoConfigureDistributedLocks",
					"distributed-lock.store=memory");
		});
	}

	@Test
	void missingLibraryIsAnalyzed() {
		for (Class<?> missing : new Class<?>[] { RedisLockStore.class, StringRedisTemplate.class }) {
			this.contextRunner.withClassLoader(new FilteredClassLoader(missing)).run((context) -> {
				FailureAnalysis analysis = analyze(context.getStartupFailure());
				assertThat(analysis.getDescription()).contains("missing from the class path");
				assertThat(analysis.getAction()).contains("lock-spring-boot-starter", "distributed-lock.store=memory");
			});
		}
	}

	@Test
	void memoryStoreNeedsNoRedisOnTheClassPath() {
		this.contextRunner.withPropertyValues("distributed-lock.store=memory")
			.withClassLoader(new FilteredClassLoader("org.springframework.data.redis", "io.lockable.redis"))
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(DistributedLocks.class));
	}

	@Test
	void locksOfTheApplicationNeedNoRedis() {
		this.contextRunner.withBean(DistributedLocks.class, () -> mock(DistributedLocks.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockStore.class));
	}

	private static void assertStoreUses(AssertableApplicationContext context, String template) {
		assertThat(context).hasSingleBean(RedisLockStore.class);
		// Every template requests its factory once for itself, during its initialization
		context.getBeansOfType(StringRedisTemplate.class)
			.forEach((name, candidate) -> then(candidate).should(times(name.equals(template) ? 2 : 1))
				.getRequiredConnectionFactory());
	}

	private static FailureAnalysis analyze(Throwable failure) {
		assertThat(failure).isNotNull();
		FailureAnalysis analysis = new LockFailureAnalyzer(new StandardEnvironment()).analyze(failure);
		assertThat(analysis).isNotNull();
		return analysis;
	}

	private static StringRedisTemplate template() {
		return spy(new StringRedisTemplate(mock(RedisConnectionFactory.class)));
	}

	@Configuration(proxyBeanMethods = false)
	static class TwoTemplates {

		@Bean
		StringRedisTemplate first() {
			return template();
		}

		@Bean
		StringRedisTemplate second() {
			return template();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrimaryTemplate {

		@Bean
		StringRedisTemplate first() {
			return template();
		}

		@Bean
		@Primary
		StringRedisTemplate second() {
			return template();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoConnectionFactories {

		@Bean
		RedisConnectionFactory firstFactory() {
			return mock(RedisConnectionFactory.class);
		}

		@Bean
		RedisConnectionFactory secondFactory() {
			return mock(RedisConnectionFactory.class);
		}

	}

}
