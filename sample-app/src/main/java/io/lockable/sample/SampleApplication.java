package io.lockable.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * Starts the lab. With the profile {@code shop} it starts one instance of the shop, which
 * takes its orders from the lab.
 */
@SpringBootApplication(proxyBeanMethods = false)
@EnableScheduling
public class SampleApplication {

	public static void main(String[] args) {
		SpringApplication application = new SpringApplication(SampleApplication.class);
		application.addInitializers(new SampleServer());
		application.run(args);
	}

}
