package io.lockable.autoconfigure;

import java.time.Duration;

import io.lockable.DistributedLocks;
import io.lockable.postgresql.PostgresLockStore;
import io.lockable.redis.RedisLockStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
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

	private final ApplicationContextRunner twoTemplates = withTemplate(withTemplate(this.redisRunner, "first"),
			"second");

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
		withTemplate(this.redisRunner, "first")
			.withBean("second", StringRedisTemplate.class, () -> template(),
					(definition) -> definition.setPrimary(true))
			.run((context) -> assertStoreUses(context, "second"));
	}

	@Test
	void templateNamedStringRedisTemplateIsUsed() {
		withTemplate(withTemplate(this.redisRunner, "stringRedisTemplate"), "other")
			.run((context) -> assertStoreUses(context, "stringRedisTemplate"));
	}

	@Test
	void templateOfThePropertyIsUsed() {
		this.twoTemplates.withPropertyValues("distributed-lock.redis.template=second")
			.run((context) -> assertStoreUses(context, "second"));
	}

	@Test
	void severalTemplatesAreAnalyzedWithTheCandidates() {
		assertAnalyzed(this.twoTemplates, "several StringRedisTemplate beans, and none is primary: first, second",
				"distributed-lock.redis.template", "@Primary");
	}

	@Test
	void unknownTemplateIsAnalyzedWithTheCandidates() {
		assertAnalyzed(this.twoTemplates.withPropertyValues("distributed-lock.redis.template=third"), "'third'",
				"first, second");
	}

	@Test
	void twoConnectionFactoriesWithoutTemplateAreAnalyzed() {
		assertAnalyzed(
				this.redisRunner
					.withBean("firstFactory", RedisConnectionFactory.class, () -> mock(RedisConnectionFactory.class))
					.withBean("secondFactory", RedisConnectionFactory.class, () -> mock(RedisConnectionFactory.class)),
				"firstFactory, secondFactory", "StringRedisTemplate", "@Primary");
	}

	@Test
	void missingRedisIsAnalyzed() {
		assertAnalyzed(this.contextRunner, "Redis is not configured", "spring-boot-starter-data-redis",
				"spring.data.redis.host", "distributed-lock.store=memory");
	}

	@Test
	void mockedTemplateIsAnalyzed() {
		assertAnalyzed(this.contextRunner.withBean(StringRedisTemplate.class, () -> mock(StringRedisTemplate.class)),
				"the StringRedisTemplate has no connection factory, which is typical of a mock",
				"@AutoConfigureDistributedLocks", "distributed-lock.store=memory");
	}

	@ParameterizedTest
	@ValueSource(classes = { RedisLockStore.class, StringRedisTemplate.class })
	void missingLibraryIsAnalyzed(Class<?> missing) {
		assertAnalyzed(this.contextRunner.withClassLoader(new FilteredClassLoader(missing, PostgresLockStore.class)),
				"missing from the class path", "lock-spring-boot-starter", "distributed-lock.store=memory");
	}

	@Test
	void memoryStoreNeedsNoRedisOnTheClassPath() {
		this.contextRunner.withPropertyValues("distributed-lock.store=memory")
			.withClassLoader(new FilteredClassLoader("org.springframework.data.redis", "io.lockable.redis"))
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(DistributedLocks.class));
	}

	private static void assertStoreUses(AssertableApplicationContext context, String template) {
		assertThat(context).hasSingleBean(RedisLockStore.class);
		// Every template requests its factory once for itself, during its initialization
		context.getBeansOfType(StringRedisTemplate.class)
			.forEach((name, candidate) -> then(candidate).should(times(name.equals(template) ? 2 : 1))
				.getRequiredConnectionFactory());
	}

	private static void assertAnalyzed(ApplicationContextRunner runner, String description, String... actions) {
		runner.run((context) -> {
			FailureAnalysis analysis = new LockFailureAnalyzer(new StandardEnvironment())
				.analyze(context.getStartupFailure());
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription()).contains(description);
			assertThat(analysis.getAction()).contains(actions);
		});
	}

	private static ApplicationContextRunner withTemplate(ApplicationContextRunner runner, String name) {
		return runner.withBean(name, StringRedisTemplate.class, () -> template());
	}

	private static StringRedisTemplate template() {
		return spy(new StringRedisTemplate(mock(RedisConnectionFactory.class)));
	}

}
