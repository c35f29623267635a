package io.lockable.architecture;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.engine.runtime.SystemRuntime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Time, random numbers and threads come from the {@link EngineRuntime}, so that a test
 * decides them.
 */
class RuntimeSeamTests {

	private static final Pattern FORBIDDEN = Pattern.compile(
			"""
					java\\.lang\\.System\\.(nanoTime|currentTimeMillis|identityHashCode)\
					|java\\.lang\\.Thread\\.(<init>|sleep|start\\w*|ofVirtual|ofPlatform)\
					|java\\.time\\.(Instant|LocalDateTime|ZonedDateTime|OffsetDateTime)\\.now\
					|java\\.time\\.Clock\\.(system|tick).*\
					|java\\.lang\\.Math\\.random\
					|java\\.util\\.UUID\\.randomUUID\
					|java\\.util\\.(Random|Timer)\\.<init>\
					|java\\.security\\.SecureRandom\\.<init>\
					|java\\.util\\.concurrent\\.ThreadLocalRandom\\.current\
					|java\\.util\\.concurrent\\.locks\\.LockSupport\\.park.*\
					|java\\.util\\.concurrent\\.Executors\\..*\
					|java\\.util\\.concurrent\\.(ScheduledThreadPoolExecutor|ThreadPoolExecutor|ForkJoinPool)\\.(<init>|commonPool)\
					|java\\.util\\.concurrent\\.CompletableFuture\\.(orTimeout|completeOnTimeout|delayedExecutor)""");

	// Without an executor among the parameters, these use the common pool.
	private static final Pattern ASYNC = Pattern
		.compile("java\\.util\\.concurrent\\.Completable(Future|Stage)\\..*Async");

	/**
	 * The classes that may use them, each with the reason.
	 */
	private static final Map<String, String> EXCEPTIONS = new TreeMap<>(
			Map.ofEntries(Map.entry(SystemRuntime.class.getName(), "is the runtime of production"),
					Map.entry("io.lockable.store.InMemoryLockStore",
							"has a default clock, and tokens of the wall clock"),
					Map.entry("io.lockable.redis.client.MasterAddress",
							"resolves host names, which blocks, before the store exists")));

	@Test
	void timeRandomNumbersAndThreadsComeFromTheRuntime() {
		Map<String, Set<String>> uses = new TreeMap<>();
		for (JavaClass type : PublishedClasses.ALL) {
			if (type.getPackageName().matches("io\\.lockable(\\.(engine|store|redis|postgresql)(\\..*)?)?")) {
				type.getCodeUnitAccessesFromSelf()
					.stream()
					.filter(RuntimeSeamTests::isForbidden)
					.forEach((use) -> uses
						.computeIfAbsent(type.getName().replaceAll("\\$.*", ""), (name) -> new TreeSet<>())
						.add(use.getTarget().getName()));
			}
		}
		assertThat(uses.keySet()).as("the exceptions, and no other class among %s", uses)
			.containsExactlyInAnyOrderElementsOf(EXCEPTIONS.keySet());
	}

	private static boolean isForbidden(JavaCodeUnitAccess<?> use) {
		CodeUnitAccessTarget target = use.getTarget();
		String name = target.getOwner().getName() + '.' + target.getName();
		return FORBIDDEN.matcher(name).matches() || (ASYNC.matcher(name).matches()
				&& target.getRawParameterTypes().stream().noneMatch((type) -> type.getName().endsWith(".Executor")));
	}

}
