package io.lockable.spring.annotation;

import io.lockable.LockContext;
import io.lockable.annotation.DistributedLockable;
import io.lockable.engine.LockEngine;
import io.lockable.store.InMemoryLockStore;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * An application without Spring Boot.
 */
@Configuration
@EnableDistributedLocks
public class PlainApplication {

	/**
	 * Starts the application and calls its annotated method.
	 * @param id the argument of the call
	 * @return the result of the call
	 */
	public static String run(String id) {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(
				PlainApplication.class)) {
			return context.getBean(Orders.class).key(id);
		}
	}

	@Bean(destroyMethod = "close")
	LockEngine distributedLocks() {
		return LockEngine.builder(new InMemoryLockStore()).build();
	}

	@Bean
	Orders orders() {
		return new Orders();
	}

	public static class Orders {

		@DistributedLockable(key = "#id")
		public String key(String id) {
			return LockContext.current().key();
		}

	}

}
