package io.lockable.redis;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

import io.lockable.LockStoreException;
import io.lockable.redis.script.LuaScript;
import io.lockable.store.StoredLock;

/**
 * The script that reads the state of a lock. With the lock's key alone, it returns
 * whether the lock is held or shared. With the companion keys, it also returns the
 * holders. A cluster runs a script with one key even while it moves the slot.
 *
 * <p>
 * Script runners read integers only, which keeps the frequent scripts simple. This script
 * therefore encodes texts as integers.
 */
final class LockStateScript {

	static final LuaScript SCRIPT = LuaScript.ofList("look");

	private LockStateScript() {
	}

	static boolean isHeld(List<Long> result) {
		return result.get(0) == 1;
	}

	static boolean isShared(List<Long> result) {
		return result.get(1) == 1;
	}

	/**
	 * Reads the answer of {@link #SCRIPT} to all keys.
	 * @param result the answer
	 * @return the lock
	 * @throws LockStoreException if an owner is not UTF-8 text. Such an owner can be
	 * neither shown nor used to release the lock
	 */
	static StoredLock read(List<Long> result) {
		long waiting = result.get(2);
		Iterator<Long> numbers = result.listIterator(3);
		List<StoredLock.Holder> holders = new ArrayList<>();
		while (numbers.hasNext()) {
			long remaining = numbers.next();
			String owner = text(numbers.next().intValue(), numbers);
			holders.add(new StoredLock.Holder(owner, (remaining < 0) ? null : Duration.ofMillis(remaining)));
		}
		return new StoredLock(holders, isShared(result) && !holders.isEmpty(), waiting);
	}

	private static String text(int length, Iterator<Long> numbers) {
		byte[] bytes = new byte[length];
		for (int i = 0; i < length; i++) {
			bytes[i] = numbers.next().byteValue();
		}
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
		}
		catch (CharacterCodingException ex) {
			throw new LockStoreException(
					"The owner of the lock is not UTF-8 text: the lock can be neither shown nor released", ex);
		}
	}

}
