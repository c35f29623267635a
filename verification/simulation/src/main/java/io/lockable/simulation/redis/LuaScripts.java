package io.lockable.simulation.redis;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import net.bytebuddy.ByteBuddy;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.dynamic.loading.ClassReloadingStrategy;
import net.bytebuddy.matcher.ElementMatchers;
import org.jspecify.annotations.Nullable;
import org.luaj.vm2.Globals;
import org.luaj.vm2.LoadState;
import org.luaj.vm2.LuaClosure;
import org.luaj.vm2.LuaDouble;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Prototype;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.compiler.LuaC;
import org.luaj.vm2.lib.BaseLib;
import org.luaj.vm2.lib.MathLib;
import org.luaj.vm2.lib.PackageLib;
import org.luaj.vm2.lib.StringLib;
import org.luaj.vm2.lib.TableLib;
import org.luaj.vm2.lib.VarArgFunction;

/**
 * The scripts of a server, on LuaJ. Differences between LuaJ and the Lua of Redis that
 * would hide a defect are removed here: {@code ..} writes 14 digits of a number,
 * {@code %.0f} never an exponent, and {@code unpack} exists.
 */
final class LuaScripts {

	static {
		writeNumbersAsRedisDoes();
	}

	// Compiling a script takes longer than running it. The entries are never changed.
	private static final Map<String, Prototype> COMPILED = new ConcurrentHashMap<>();

	private static final Map<String, String> DIGESTS = new ConcurrentHashMap<>();

	private final Function<List<String>, Reply> server;

	private final UnaryOperator<String> plant;

	private final Globals globals = new Globals();

	private final Map<String, LuaValue> scripts = new HashMap<>();

	LuaScripts(Function<List<String>, Reply> server, UnaryOperator<String> plant) {
		this.server = server;
		this.plant = plant;
		this.globals.load(new BaseLib());
		this.globals.load(new PackageLib());
		this.globals.load(new TableLib());
		this.globals.load(new StringLib());
		this.globals.load(new MathLib());
		LoadState.install(this.globals);
		LuaC.install(this.globals);
		LuaTable redis = new LuaTable();
		redis.set("call", function((words) -> call(words, true)));
		redis.set("pcall", function((words) -> call(words, false)));
		redis.set("error_reply", function((text) -> table("err", text.arg1())));
		this.globals.set("redis", redis);
		this.globals.set("unpack", this.globals.get("table").get("unpack"));
		LuaValue format = this.globals.get("string").get("format");
		this.globals.get("string")
			.set("format",
					function((arguments) -> arguments.arg1().tojstring().equals("%.0f")
							? LuaValue.valueOf(Numbers.general(Math.rint(arguments.checkdouble(2)), 309))
							: format.invoke(arguments)));
	}

	private static void writeNumbersAsRedisDoes() {
		ByteBuddyAgent.install();
		new ByteBuddy().redefine(LuaDouble.class)
			.visit(Advice.to(FourteenDigits.class)
				.on(ElementMatchers.named("tojstring").and(ElementMatchers.takesNoArguments())))
			.make()
			.load(LuaDouble.class.getClassLoader(), ClassReloadingStrategy.fromInstalledAgent());
	}

	/**
	 * Caches a script.
	 * @param source its text
	 * @return its digest
	 */
	String load(String source) {
		String digest = DIGESTS.computeIfAbsent(source, LuaScripts::digest);
		this.scripts.computeIfAbsent(digest,
				(absent) -> new LuaClosure(COMPILED.computeIfAbsent(this.plant.apply(source), this::compile),
						this.globals));
		return digest;
	}

	private Prototype compile(String source) {
		try {
			return this.globals.compilePrototype(new StringReader(source), "@user_script");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	void flush() {
		this.scripts.clear();
	}

	/**
	 * Runs a script.
	 * @param digest its digest
	 * @param keys its keys
	 * @param arguments its arguments
	 * @return its answer
	 * @throws RedisError if the script is not known, or fails
	 */
	Reply run(String digest, List<String> keys, List<String> arguments) {
		LuaValue script = this.scripts.get(digest);
		if (script == null) {
			throw new RedisError(RedisError.NO_SCRIPT);
		}
		this.globals.set("KEYS", table(keys));
		this.globals.set("ARGV", table(arguments));
		try {
			return reply(script.call());
		}
		catch (LuaError ex) {
			LuaValue raised = ex.getMessageObject();
			String message = (raised != null && raised.istable()) ? raised.get("err").tojstring()
					: "ERR " + ex.getMessage();
			throw new RedisError(message + " script: " + digest + ", on @user_script:1.");
		}
	}

	private LuaValue call(Varargs words, boolean raises) {
		List<String> command = new ArrayList<>(words.narg());
		for (int i = 1; i <= words.narg(); i++) {
			command.add(word(words.arg(i)));
		}
		try {
			return value(this.server.apply(command));
		}
		catch (RedisError ex) {
			LuaTable error = table("err", LuaValue.valueOf(ex.text()));
			if (raises) {
				throw new LuaError(error);
			}
			return error;
		}
	}

	private static String word(LuaValue value) {
		if (value.type() == LuaValue.TNUMBER) {
			return Numbers.general(value.todouble(), 17);
		}
		if (value.type() != LuaValue.TSTRING) {
			throw new LuaError(
					table("err", LuaValue.valueOf("ERR Lua redis lib command arguments must be strings or integers")));
		}
		return text(value.checkstring());
	}

	private static LuaValue value(Reply reply) {
		if (reply instanceof Reply.Int integer) {
			return LuaValue.valueOf((double) integer.value());
		}
		if (reply instanceof Reply.Bulk bulk) {
			return bytes(bulk.value());
		}
		if (reply instanceof Reply.Status status) {
			return table("ok", LuaValue.valueOf(status.text()));
		}
		if (reply instanceof Reply.Array array) {
			LuaTable table = new LuaTable();
			for (int i = 0; i < array.elements().size(); i++) {
				table.set(i + 1, value(array.elements().get(i)));
			}
			return table;
		}
		return LuaValue.FALSE;
	}

	private static Reply reply(LuaValue value) {
		return switch (value.type()) {
			case LuaValue.TNUMBER -> Reply.of((long) value.todouble());
			case LuaValue.TSTRING -> Reply.of(text(value.checkstring()));
			case LuaValue.TBOOLEAN -> value.toboolean() ? Reply.of(1) : Reply.NIL;
			case LuaValue.TTABLE -> reply(value.checktable());
			default -> Reply.NIL;
		};
	}

	private static Reply reply(LuaTable table) {
		if (!table.get("err").isnil()) {
			throw new RedisError(table.get("err").tojstring());
		}
		if (!table.get("ok").isnil()) {
			return new Reply.Status(table.get("ok").tojstring());
		}
		List<Reply> elements = new ArrayList<>();
		for (int i = 1; !table.get(i).isnil(); i++) {
			elements.add(reply(table.get(i)));
		}
		return new Reply.Array(elements);
	}

	private static LuaTable table(List<String> texts) {
		LuaTable table = new LuaTable();
		for (int i = 0; i < texts.size(); i++) {
			table.set(i + 1, bytes(texts.get(i)));
		}
		return table;
	}

	private static LuaTable table(String key, LuaValue value) {
		LuaTable table = new LuaTable();
		table.set(key, value);
		return table;
	}

	private static LuaString bytes(String text) {
		return LuaString.valueOf(text.getBytes(StandardCharsets.ISO_8859_1));
	}

	private static String text(LuaString bytes) {
		return new String(bytes.m_bytes, bytes.m_offset, bytes.m_length, StandardCharsets.ISO_8859_1);
	}

	private static LuaValue function(Function<Varargs, Varargs> body) {
		return new VarArgFunction() {

			@Override
			public Varargs invoke(Varargs arguments) {
				return body.apply(arguments);
			}

		};
	}

	private static String digest(String source) {
		try {
			return HexFormat.of()
				.formatHex(MessageDigest.getInstance("SHA-1").digest(source.getBytes(StandardCharsets.ISO_8859_1)));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Replaces the result of {@code LuaDouble.tojstring()}.
	 */
	public static final class FourteenDigits {

		private FourteenDigits() {
		}

		@Advice.OnMethodExit
		@SuppressWarnings("UnusedVariable") // the advice assigns the result
		static void write(@Advice.This Object number, @Advice.Return(readOnly = false) @Nullable String text) {
			text = LuaText.of(number);
		}

	}

}
