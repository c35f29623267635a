package io.lockable.engine;

import java.util.function.Consumer;

import io.lockable.LockEvent;
import io.lockable.LockListener;
import io.lockable.LockOptions;
import org.jspecify.annotations.Nullable;

/**
 * A listener that only follows acquisitions.
 */
public interface FollowingListener extends LockListener {

	@Override
	default void onEvent(LockEvent event) {
	}

	@Override
	@Nullable Consumer<LockEvent> acquiring(String key, String owner, LockOptions options);

}
