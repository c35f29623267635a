package io.lockable.matrix;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ApplicationContext;

/**
 * A web application without code for locks that records the cost of its startup.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class StartUpApplication {

	/**
	 * The property that names the result file. The file contains the CPU time and the
	 * wait time of the starting thread in milliseconds, and whether locks exist.
	 */
	static final String RESULT = "lockable.matrix.start-up-result";

	public static void main(String[] args) throws IOException {
		ThreadMXBean threads = ManagementFactory.getThreadMXBean();
		threads.setThreadContentionMonitoringEnabled(true);
		ApplicationContext context = SpringApplication.run(StartUpApplication.class, args);
		long computed = threads.getCurrentThreadCpuTime() / 1_000_000;
		ThreadInfo thread = threads.getThreadInfo(Thread.currentThread().getId());
		long waited = thread.getWaitedTime() + thread.getBlockedTime();
		Files.writeString(Path.of(System.getProperty(RESULT)),
				computed + " " + waited + " " + context.containsBean("distributedLocks"));
		System.exit(0);
	}

}
