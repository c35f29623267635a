package io.lockable.autoconfigure;

import io.lockable.DistributedLocks;
import io.lockable.redis.RedisLockStore;
import io.lockable.redis.RedlockLockStore;
import io.lockable.store.InMemoryLockStore;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockStoreConfiguration}. They send no command and need no server.
 */
class RedlockLockStoreConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(DataRedisAutoConfiguration.class, DistributedLockAutoConfiguration.class));

	private ApplicationContextRunner withNodes(String nodes) {
		return this.contextRunner.withPropertyValues("distributed-lock.redis.redlock.nodes=" + nodes);
	}

	@Test
	void mastersTakeThePlaceOfTheSingleServer() {
		withNodes("a:1,b:2,c:3").run((context) -> assertThat(context).hasSingleBean(RedlockLockStore.class)
			.doesNotHaveBean(RedisLockStore.class)
			.hasSingleBean(DistributedLocks.class));
	}

	@Test
	void mastersMayBeAList() {
		this.contextRunner
			.withPropertyValues("distributed-lock.redis.redlock.nodes[0]=a:1",
					"distributed-lock.redis.redlock.nodes[1]=redis://user:secret@b:2/3",
					"distributed-lock.redis.redlock.nodes[2]=c")
			.run((context) -> assertThat(context).hasSingleBean(RedlockLockStore.class));
	}

	@Test
	void memoryStoreWins() {
		withNodes("a:1,b:2,c:3").withPropertyValues("distributed-lock.store=memory")
			.run((context) -> assertThat(context).hasSingleBean(InMemoryLockStore.class)
				.doesNotHaveBean(RedlockLockStore.class));
	}

}
