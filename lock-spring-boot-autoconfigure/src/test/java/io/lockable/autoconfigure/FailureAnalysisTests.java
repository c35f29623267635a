package io.lockable.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.lockable.annotation.DistributedLockable;
import io.lockable.autoconfigure.aop.DistributedLockAopAutoConfiguration;
import io.lockable.spring.annotation.ScheduledLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.ClassUtils;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * The failure analysis of applications that fail to start, as Spring Boot prints it.
 */
@ExtendWith(OutputCaptureExtension.class)
class FailureAnalysisTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', value = {
			"enabled=ture|failed to convert|Update your application's configuration",
			"lease=5ms|'distributed-lock.lease' must be between 10ms and 365d, was 5ms. It is set in \"distributed-lock.lease\" from property source \"commandLineArgs\"|Set it to such a value",
			"wait-time=-1s|'distributed-lock.wait-time' must not be negative, was -1s|Set it to such a value",
			"max-hold=1s|'distributed-lock.max-hold' must be at least the lease of 10s, was 1s|remove it for the default",
			"max-hold=5m --distributed-lock.renewal=false|'distributed-lock.max-hold' requires renewal, but renewal is off|remove it for the default",
			"retain=-1s|'distributed-lock.retain' must be between 0s and 365d, was -1s|Set it to such a value",
			"retain=5s --distributed-lock.renewal=off|'distributed-lock.retain' must be zero for a lock that is fair or not renewed, was 5s|remove it for the default",
			"retain=5s --distributed-lock.redis.replicas=one|'distributed-lock.retain' must be 0s with the store RedisLockStore, was 5s|Set distributed-lock.retain=0s",
			"retain=5s --distributed-lock.redis.redlock.nodes=a:1,b:2,c:3|'distributed-lock.retain' must be 0s with the store RedlockLockStore, was 5s|Set distributed-lock.retain=0s",
			"recall-timeout=0s|'distributed-lock.recall-timeout' must be between 1ms and 1h, was 0s|Set it to 100ms, for example.",
			"command-timeout=0s|'distributed-lock.command-timeout' must be between 1ms and 1h, was 0s|Set it to 3s",
			"waiter-timeout=50ms|'distributed-lock.waiter-timeout' must be between 100ms and 1h, was 50ms|the same in all instances",
			"shutdown-timeout=-1s|'distributed-lock.shutdown-timeout' must be between 0s and 1d, was -1s|Set it to 5s",
			"warn-after-hold=5ms|'distributed-lock.warn-after-hold' must be between 100ms and 365d, was 5ms|Set it to 30s",
			"request-id.header=a b|'distributed-lock.request-id.header' must be the name of a header|Set it to Req-Id",
			"redis.replica-count=0|'distributed-lock.redis.replica-count' must be at least 1|the number of replicas",
			"redis.replica-timeout=0s|'distributed-lock.redis.replica-timeout' must be between|Set it to 500ms",
			"redis.replicas=one --distributed-lock.redis.replica-timeout=3s|must be shorter than 'distributed-lock.command-timeout' of 3s, was 3s|Set it below the command timeout",
			"redis.replicas=one --distributed-lock.store=memory|'distributed-lock.redis.replicas' must be none with 'distributed-lock.store=memory'|Set distributed-lock.redis.replicas=none",
			"redis.replicas=one --distributed-lock.store=postgresql|'distributed-lock.redis.replicas' must be none with 'distributed-lock.store=postgresql'|Set distributed-lock.redis.replicas=none",
			"postgresql.pool-size=2|'distributed-lock.postgresql.pool-size' must be 0, or between 3 and 100, was 2|Set it to 8",
			"redis.replicas=all --distributed-lock.redis.redlock.nodes=a:1,b:2,c:3|must be none with 'distributed-lock.redis.redlock.nodes', was ALL|Remove one of the two",
			"redis.redlock.nodes=redis://u:secret@a:1,b:2|'distributed-lock.redis.redlock.nodes' cannot be used: The number of masters must be odd and at least 3, was 2|an odd number, at least 3",
			"redis.redlock.nodes=redis://u:secret@a:1,b:2,redis://u:secret@A:1|The master a:1 must be listed once|an odd number, at least 3",
			"redis.redlock.nodes=localhost:1,b:2,127.0.0.1:1|The master 127.0.0.1:1 must be listed once: localhost:1 is the same server|an odd number, at least 3",
			"redis.redlock.nodes=a:1,b:2,c:3 --distributed-lock.redis.redlock.timeout=0s|'distributed-lock.redis.redlock.timeout' must be between|Set it to 200ms",
			"redis.redlock.nodes=a:1,b:2,c:3 --distributed-lock.lease=200ms|must be shorter than 'distributed-lock.lease' of 200ms and 'distributed-lock.command-timeout' of 3s, was 200ms|a small part of the lease",
			"redis.template=other|names the bean 'other', which is not a StringRedisTemplate|stringRedisTemplate",
			"redis.redlock.nodes=a:1,b:2,rediss://c:3|must be reached without TLS, like the application's own server|an odd number, at least 3",
			"store=disk|failed to convert|MEMORY",
			"events=some|failed to convert|Update your application's configuration",
			"redis.replicas=some|failed to convert|MAJORITY",
			"lease=soon|failed to convert|Update your application's configuration",
			"redis.redlock.nodes=redis://u:%se@a:1,b:2,c:3|'distributed-lock.redis.redlock.nodes' cannot be used: The credentials in the address of a master must be percent-encoded|an odd number, at least 3",
			"leese=secret|'distributed-lock.leese' is not a known property, or has no value. It is set in|Remove it, or correct it. For properties of your own, choose another prefix",
			"leese=secret --spring.main.lazy-initialization=true|'distributed-lock.leese' is not a known property|Remove it",
			"max-hold=|'distributed-lock.max-hold' is not a known property, or has no value|Remove it",
			"events=|'distributed-lock.events' is not a known property, or has no value|Remove it",
			"check.selfInvocations=warn|'distributed-lock.check.selfinvocations' is not a known property|Remove it",
			"check.unknown-property=maybe|failed to convert|IGNORE" })
	void propertyIsAnalyzed(String properties, String description, String action, CapturedOutput output) {
		start(Plain.class, ("--distributed-lock." + properties).split(" (?=--)"));
		assertAnalyzed(output, description, action);
		assertThat(output).doesNotContain("secret");
	}

	@ParameterizedTest
	@ValueSource(strings = { "warn", "ignore" })
	void unknownPropertyDoesNotKeepFromStartingWhenSaidSo(String reaction, CapturedOutput output) {
		new SpringApplicationBuilder(Plain.class).web(WebApplicationType.NONE)
			.run("--distributed-lock.leese=5s", "--distributed-lock.check.unknown-property=" + reaction)
			.close();
		if (reaction.equals("warn")) {
			assertThat(output).contains("'distributed-lock.leese' is not a known property");
		}
		else {
			assertThat(output).doesNotContain("leese");
		}
	}

	@Test
	void propertiesAreKnownInEverySpelling() {
		new SpringApplicationBuilder(Plain.class).web(WebApplicationType.NONE)
			.run("--distributed-lock.waitTime=5s", "--distributed-lock.request_id.ENABLED=true",
					"--distributed-lock.redis.redlock.nodes[0]=a:1", "--distributed-lock.redis.redlock.nodes[1]=b:1",
					"--distributed-lock.redis.redlock.nodes[2]=c:1")
			.close();
	}

	@Test
	void environmentVariablesMayHaveUnknownNames() {
		new SpringApplicationBuilder(Plain.class).web(WebApplicationType.NONE)
			.environment(environmentWith("DISTRIBUTEDLOCK_LEESE"))
			.run()
			.close();
	}

	private static ConfigurableEnvironment environmentWith(String variable) {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources()
			.replace(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, new SystemEnvironmentPropertySource(
					StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, Map.of(variable, "1")));
		return environment;
	}

	@Test
	void propertiesOfTheApplicationAreBoundAsUsual(CapturedOutput output) {
		new SpringApplicationBuilder(Plain.class, Limits.class).web(WebApplicationType.NONE)
			.run("--limits.most=5", "--limits.unknown=1")
			.close();
		start(Limits.class, "--limits.most=-1");
		assertAnalyzed(output, "Reason: must be positive", "Update your application's configuration");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', value = {
			"PrivateMethod|a private method cannot be intercepted|public instance method",
			"JobWithoutKey|@ScheduledLock cannot work on FailureAnalysisTests.JobWithoutKey.run(): it has no key|such as key = \"nightly-report\"" })
	void annotationIsAnalyzed(String type, String description, String action, CapturedOutput output) {
		start(ClassUtils.resolveClassName(getClass().getName() + "$" + type, null), "--distributed-lock.store=memory");
		assertAnalyzed(output, description, action);
	}

	private static void assertAnalyzed(CapturedOutput output, String description, String action) {
		String text = output.toString().replaceAll("\\s+", " ");
		assertThat(text).contains("APPLICATION FAILED TO START", "Description:", "Action:");
		assertThat(text.substring(text.indexOf("Description:"), text.indexOf("Action:"))).contains(description);
		assertThat(text.substring(text.indexOf("Action:"))).contains(action);
	}

	private static void start(Class<?> type, String... arguments) {
		List<String> all = new ArrayList<>(List.of(arguments));
		all.add("--spring.main.banner-mode=off");
		assertThatException()
			.isThrownBy(() -> new SpringApplicationBuilder(Plain.class, type).web(WebApplicationType.NONE)
				.run(all.toArray(String[]::new))
				.close());
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
			DistributedLockAutoConfiguration.class, DistributedLockAopAutoConfiguration.class })
	static class Plain {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(Limits.Values.class)
	static class Limits {

		@ConfigurationProperties("limits")
		record Values(int most) implements Validator {

			@Override
			public boolean supports(Class<?> type) {
				return type == Values.class;
			}

			@Override
			public void validate(Object target, Errors errors) {
				if (((Values) target).most() < 1) {
					errors.rejectValue("most", "positive", "must be positive");
				}
			}

		}

	}

	@SuppressWarnings("UnusedMethod")
	static class PrivateMethod {

		@DistributedLockable(key = "a")
		private void call() {
		}

	}

	static class JobWithoutKey {

		@ScheduledLock
		void run() {
		}

	}

}
