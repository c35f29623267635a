package io.lockable.redis.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.util.function.SingletonSupplier;

/**
 * A Lua script, read from the resources next to this class, and the digest by which a
 * server caches it. Scripts that every lock needs are read eagerly, so that the first
 * call does not read them. The others are read on first use, which shortens application
 * startup.
 *
 * <p>
 * A line {@code -- include part} is replaced by a common part at the point of first use,
 * because defining its functions costs time on every call.
 *
 * <p>
 * Thread-safe.
 *
 * @since 0.1.0
 */
public final class LuaScript {

	private static final Pattern INCLUDE = Pattern.compile("(?m)^-- include (\\w+)$");

	private final String name;

	private final ReturnType answer;

	private final Set<Trait> traits;

	private final SingletonSupplier<Text> text = SingletonSupplier.of(this::readText);

	private LuaScript(String name, ReturnType answer, Trait... traits) {
		this.name = name;
		this.answer = answer;
		this.traits = Set.of(traits);
	}

	/**
	 * Returns a script whose answer is one integer.
	 * @param name the name of the script
	 * @param traits the traits that callers depend on
	 * @return the script
	 */
	public static LuaScript ofInteger(String name, Trait... traits) {
		return new LuaScript(name, ReturnType.INTEGER, traits);
	}

	/**
	 * Returns a script whose answer is a list of integers.
	 * @param name the name of the script
	 * @param traits the traits that callers depend on
	 * @return the script
	 */
	public static LuaScript ofList(String name, Trait... traits) {
		return new LuaScript(name, ReturnType.MULTI, traits);
	}

	/**
	 * Returns whether the script has a trait.
	 * @param trait the trait
	 * @return whether it has
	 */
	public boolean is(Trait trait) {
		return this.traits.contains(trait);
	}

	/**
	 * Returns whether the script may grant or extend a lock.
	 * @return whether an answer may require acknowledgements of replicas
	 */
	public boolean mayGrant() {
		return is(Trait.GRANTING) || is(Trait.EXTENDING);
	}

	/**
	 * Returns whether an answer grants or extends a lock.
	 * @param integers the answer
	 * @return whether the answer requires acknowledgements of replicas
	 */
	public boolean isGranted(List<Long> integers) {
		return (is(Trait.GRANTING) && integers.get(0) > 0) || (is(Trait.EXTENDING) && integers.contains(1L));
	}

	/**
	 * Reads the script now.
	 * @return the script
	 */
	public LuaScript read() {
		digest();
		return this;
	}

	/**
	 * Returns the source, with the common parts it uses.
	 * @return the source
	 */
	public String source() {
		return this.text.obtain().source();
	}

	/**
	 * Returns the SHA-1 digest of the source.
	 * @return the digest, in hexadecimal digits
	 */
	public String digest() {
		return this.text.obtain().digest();
	}

	/**
	 * Returns the type of the script's answer.
	 * @return an integer, or a list of integers
	 */
	public ReturnType answer() {
		return this.answer;
	}

	@Override
	public String toString() {
		return this.name;
	}

	private Text readText() {
		String source = INCLUDE.matcher(read(this.name))
			.replaceAll((include) -> Matcher.quoteReplacement(read(include.group(1))));
		return new Text(source, RedisScript.of(source).getSha1());
	}

	private static String read(String name) {
		try (InputStream resource = LuaScript.class.getResourceAsStream(name + ".lua")) {
			if (resource == null) {
				throw new IllegalStateException("The script '%s.lua' is missing from the jar".formatted(name));
			}
			return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * A property of a script that callers depend on.
	 */
	public enum Trait {

		/**
		 * The script frees a lock. The first integer of its answer is whether the owner
		 * held the lock. A second copy of one command answers 0 if the first copy has
		 * freed the lock.
		 */
		FREEING,

		/**
		 * The script may grant a lock. The first integer of its answer is then positive.
		 */
		GRANTING,

		/**
		 * The script may extend locks. Its answer contains 1 for each extended lock.
		 */
		EXTENDING,

		/**
		 * The script is always sent by source, never by digest.
		 */
		BY_SOURCE

	}

	private record Text(String source, String digest) {

	}

}
