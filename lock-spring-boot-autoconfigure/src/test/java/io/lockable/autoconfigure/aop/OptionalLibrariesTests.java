package io.lockable.autoconfigure.aop;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a plain application works on a class path without optional libraries: none
 * of their classes is loaded.
 */
@Tag("extended")
class OptionalLibrariesTests {

	private static final String ALL = "reactor-core|reactive-streams|spring-tx|spring-jdbc|kotlin-|kotlinx-|context-propagation|spring-retry|spring-security|resilience4j|lettuce|spring-data|micrometer|spring-webflux|spring-web|spring-boot-restclient|spring-boot-webclient";

	@ParameterizedTest
	@ValueSource(strings = { "reactor-core", "spring-tx", "kotlinx-coroutines", "context-propagation", "spring-retry",
			"spring-webflux", "spring-boot-restclient", ALL })
	void callsAreLockedWithout(String libraries) throws Exception {
		try (URLClassLoader without = without(libraries)) {
			Thread thread = Thread.currentThread();
			ClassLoader original = thread.getContextClassLoader();
			thread.setContextClassLoader(without);
			try {
				Class<?> application = without.loadClass(PlainApplication.class.getName());
				assertThat(application).isNotSameAs(PlainApplication.class);
				assertThat(application.getMethod("run").invoke(null)).isEqualTo("disLock:1, disLock:2");
			}
			finally {
				thread.setContextClassLoader(original);
			}
		}
	}

	@Test
	void librariesAreReallyAbsent() throws Exception {
		try (URLClassLoader without = without(ALL)) {
			for (String name : List.of("reactor.core.publisher.Mono", "io.micrometer.context.ThreadLocalAccessor",
					"org.springframework.transaction.TransactionManager", "kotlinx.coroutines.reactor.MonoKt")) {
				assertThat(ClassUtils.isPresent(name, getClass().getClassLoader())).as(name).isTrue();
				assertThat(ClassUtils.isPresent(name, without)).as(name).isFalse();
			}
		}
	}

	private static URLClassLoader without(String libraries) throws MalformedURLException {
		Pattern excluded = Pattern.compile("(" + libraries + ")[^/]*\\.jar");
		List<URL> urls = new ArrayList<>();
		for (String entry : StringUtils.delimitedListToStringArray(System.getProperty("java.class.path"),
				File.pathSeparator)) {
			if (!excluded.matcher(entry).find()) {
				urls.add(new File(entry).toURI().toURL());
			}
		}
		return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
	}

}
