package io.lockable.autoconfigure.actuate;

import java.util.regex.Pattern;

/**
 * How owners of locks are shown. Any text of the database may stand where a lock is asked
 * for, and may be a secret: so only what looks like an owner token of ours is shown as it
 * is.
 */
final class ShownOwner {

	private static final Pattern OWNER_TOKEN = Pattern.compile(".*:[0-9a-f]{16}-[0-9]+(@[\\w-]+)?", Pattern.DOTALL);

	private static final int MOST_OF_ANOTHER = 8;

	private static final int PART_OF_ANOTHER = 4;

	private ShownOwner() {
	}

	/**
	 * Returns an owner to be shown to who asks for a lock.
	 * @param owner the owner
	 * @return all of an owner token, the first quarter of anything else and at most eight
	 * characters
	 */
	static String of(String owner) {
		return isOurs(owner) ? owner : shortened(owner);
	}

	/**
	 * Returns an owner to be logged: of an owner token what is in the log of its request
	 * as well.
	 * @param owner the owner
	 * @return the request id, or the beginning of anything else
	 */
	static String logged(String owner) {
		return isOurs(owner) ? owner.substring(0, owner.lastIndexOf(':')) : shortened(owner);
	}

	private static boolean isOurs(String owner) {
		return OWNER_TOKEN.matcher(owner).matches();
	}

	private static String shortened(String owner) {
		return owner.substring(0, Math.min(owner.length() / PART_OF_ANOTHER, MOST_OF_ANOTHER)) + "…";
	}

}
