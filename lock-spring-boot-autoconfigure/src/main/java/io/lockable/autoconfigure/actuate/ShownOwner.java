package io.lockable.autoconfigure.actuate;

import java.util.regex.Pattern;

/**
 * Shortens the owners of locks for display. Any text of the database may be at the
 * requested key, and may be a secret. Only texts with the format of an owner token are
 * shown in full.
 */
final class ShownOwner {

	private static final Pattern OWNER_TOKEN = Pattern.compile(".*:[0-9a-f]{16}-[0-9]+(@[\\w-]+)?", Pattern.DOTALL);

	private static final int MOST_OF_ANOTHER = 8;

	private static final int PART_OF_ANOTHER = 4;

	private ShownOwner() {
	}

	/**
	 * Returns an owner for the response of the endpoint.
	 * @param owner the owner
	 * @return an owner token in full; otherwise the first quarter, and at most eight
	 * characters
	 */
	static String of(String owner) {
		return isOurs(owner) ? owner : shortened(owner);
	}

	/**
	 * Returns an owner for the log: of an owner token, only the part that the log of its
	 * request contains as well.
	 * @param owner the owner
	 * @return the request id, or the beginning of any other text
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
