package io.lockable.matrix;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/**
 * A web application that knows nothing of locks, and tells what its start took.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class StartUpApplication {

	/**
	 * The property that names the file for the milliseconds that the starting thread
	 * computed.
	 */
	static final String RESULT = "lockable.matrix.start-up-result";

	public static void main(String[] args) throws IOException {
		SpringApplication.run(StartUpApplication.class, args);
		long computed = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
		Files.writeString(Path.of(System.getProperty(RESULT)), Long.toString(computed / 1_000_000));
		System.exit(0);
	}

}
