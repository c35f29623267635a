package io.lockable.spring.annotation;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.annotation.DistributedLockable;
import io.lockable.spring.LockSettings;
import io.lockable.spring.LocksInMemory;
import io.lockable.spring.annotation.PlainApplication.Orders;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for {@link EnableDistributedLocks}.
 */
class EnableDistributedLocksTests {

	private static final Pattern OPTIONAL = Pattern
		.compile("(aspectj|spring-boot|spring-tx|spring-jdbc|spring-web|reactor|context-propagation).*");

	@Test
	void annotatedMethodIsLocked() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(
				PlainApplication.class)) {
			assertThat(context.getBean(Orders.class).key("1")).isEqualTo("disLock:1");
			DistributedLock lock = context.getBean(DistributedLocks.class).get("disLock:1");
			assertThat(lock.isLocked()).isFalse();
		}
	}

	@Test
	void settingsAreThoseOfTheBean() {
		LockSettings defaults = LockSettings.defaults();
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean(LockSettings.class, () -> new LockSettings("shop:", defaults.options(),
					defaults.onFailure(), defaults.inTransaction(), defaults.order(), defaults.neverLocked()));
			context.register(PlainApplication.class);
			context.refresh();
			assertThat(context.getBean(Orders.class).key("1")).isEqualTo("shop:1");
		}
	}

	@Test
	void annotationThatCannotWorkFailsTheRefresh() {
		assertThatThrownBy(() -> new AnnotationConfigApplicationContext(PlainApplication.class, Invalid.class).close())
			.satisfies((failure) -> assertThat(LocksInMemory.problem(failure)).hasMessageContaining("#unknown"));
	}

	@Test
	void methodIsLockedWithoutSpringBootAndOptionalLibrariesOnTheClassPath() throws Exception {
		try (URLClassLoader plain = withoutOptionalLibraries()) {
			assertThat(ClassUtils.isPresent("org.springframework.boot.SpringApplication", plain)).isFalse();
			assertThat(ClassUtils.isPresent("org.springframework.transaction.TransactionManager", plain)).isFalse();
			Thread thread = Thread.currentThread();
			ClassLoader original = thread.getContextClassLoader();
			thread.setContextClassLoader(plain);
			try {
				Class<?> application = plain.loadClass(PlainApplication.class.getName());
				assertThat(application).isNotSameAs(PlainApplication.class);
				assertThat(application.getMethod("run", String.class).invoke(null, "1")).isEqualTo("disLock:1");
			}
			finally {
				thread.setContextClassLoader(original);
			}
		}
	}

	private static URLClassLoader withoutOptionalLibraries() throws MalformedURLException {
		List<URL> urls = new ArrayList<>();
		for (String entry : StringUtils.delimitedListToStringArray(System.getProperty("java.class.path"),
				File.pathSeparator)) {
			if (!OPTIONAL.matcher(new File(entry).getName()).matches()) {
				urls.add(new File(entry).toURI().toURL());
			}
		}
		return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
	}

	static class Invalid {

		@DistributedLockable(key = "#unknown")
		void call() {
		}

	}

}
