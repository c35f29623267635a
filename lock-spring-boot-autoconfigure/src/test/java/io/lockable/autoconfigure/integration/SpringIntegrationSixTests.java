package io.lockable.autoconfigure.integration;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The registry on Spring Integration 6, whose interfaces have no type parameter and fewer
 * methods: the calls of an application, on a class path with that version.
 */
class SpringIntegrationSixTests {

	private static final String DISTRIBUTED_LOCK = "org.springframework.integration.support.locks.DistributedLock";

	private static final String LOCK_REGISTRY = "org.springframework.integration.support.locks.LockRegistry";

	private URLClassLoader classPath;

	@BeforeEach
	void open() throws Exception {
		List<URL> urls = new ArrayList<>();
		File[] jars = new File("target/spring-integration-6").listFiles((folder, name) -> name.endsWith(".jar"));
		assertThat(jars).as("put there by the build").hasSize(1);
		urls.add(jars[0].toURI().toURL());
		for (String entry : StringUtils.delimitedListToStringArray(System.getProperty("java.class.path"),
				File.pathSeparator)) {
			if (!entry.contains("spring-integration")) {
				urls.add(new File(entry).toURI().toURL());
			}
		}
		this.classPath = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
	}

	@AfterEach
	void close() throws Exception {
		this.classPath.close();
	}

	@Test
	void itIsReallyThere() throws Exception {
		assertThat(ClassUtils.isPresent(DISTRIBUTED_LOCK, getClass().getClassLoader())).isTrue();
		assertThat(ClassUtils.isPresent(DISTRIBUTED_LOCK, this.classPath)).isFalse();
		assertThat(this.classPath.loadClass(LOCK_REGISTRY).getTypeParameters()).isEmpty();
	}

	@Test
	void registryLocks() throws Exception {
		assertThat(run("locks")).isEqualTo("RegistryLock[disLock:integration:42], locked, renewed, executed, free");
	}

	@Test
	void registryElectsALeader() throws Exception {
		assertThat(run("elects")).isEqualTo("leader");
	}

	private Object run(String method) throws Exception {
		Thread thread = Thread.currentThread();
		ClassLoader original = thread.getContextClassLoader();
		thread.setContextClassLoader(this.classPath);
		try {
			Class<?> application = this.classPath.loadClass(RegistryApplication.class.getName());
			assertThat(application).isNotSameAs(RegistryApplication.class);
			return application.getMethod(method).invoke(null);
		}
		finally {
			thread.setContextClassLoader(original);
		}
	}

}
