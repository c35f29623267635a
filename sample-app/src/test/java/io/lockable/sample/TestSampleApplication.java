package io.lockable.sample;

import org.springframework.boot.SpringApplication;

/**
 * Starts the shop with a Redis server in a container, for development.
 */
public final class TestSampleApplication {

	private TestSampleApplication() {
	}

	static SpringApplication.Running start(String... args) {
		return SpringApplication.from(SampleApplication::main).with(SampleContainers.class).run(args);
	}

	/**
	 * Starts the shop.
	 * @param args none
	 */
	public static void main(String[] args) {
		start("--lab.start-server=false");
	}

}
