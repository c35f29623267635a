package io.lockable.autoconfigure.aop;

import java.util.concurrent.CompletableFuture;

import io.lockable.LockContext;
import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.OnLost;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.autoconfigure.web.RequestIdAutoConfiguration;
import io.lockable.autoconfigure.web.RequestIdClientAutoConfiguration;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * The application that {@link OptionalLibrariesTests} runs on a separate class path.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ AopAutoConfiguration.class, DistributedLockAutoConfiguration.class,
		DistributedLockAopAutoConfiguration.class, RequestIdAutoConfiguration.class,
		RequestIdClientAutoConfiguration.class })
@Import(PlainApplication.Plain.class)
public class PlainApplication {

	/**
	 * Starts the application and makes its calls.
	 * @return their results
	 */
	public static String run() {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(PlainApplication.class)
			.web(WebApplicationType.NONE)
			.properties("distributed-lock.store=memory", "spring.main.banner-mode=off")
			.run()) {
			Plain plain = context.getBean(Plain.class);
			return plain.value("1") + ", " + plain.stage("2").join();
		}
	}

	public static class Plain {

		@DistributedLockable(key = "#id", onLost = OnLost.FAIL)
		public String value(String id) {
			return LockContext.current().key();
		}

		@DistributedLockable(key = "#id", onLost = OnLost.INTERRUPT)
		public CompletableFuture<String> stage(String id) {
			return CompletableFuture.completedFuture(LockContext.current().key());
		}

	}

}
