package io.lockable.simulation;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.RedisCommand;
import io.lockable.simulation.redis.RedisError;
import io.lockable.simulation.redis.Reply;
import io.lockable.simulation.redis.Resp;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.ThreadExecutorMap;
import org.jspecify.annotations.Nullable;

/**
 * A connection of Lettuce below its commands: it writes them, matches replies with
 * commands in their order, and after a reconnection writes unanswered commands again, as
 * the <a href="https://redis.github.io/lettuce/advanced-usage/#command-reliability">
 * at-least-once mode</a> does.
 */
final class SimulatedConnection extends Reconnecting implements InvocationHandler {

	// Written, and not answered.
	private Deque<RedisCommand<byte[], byte[], ?>> written = new ArrayDeque<>();

	private final Deque<RedisCommand<byte[], byte[], ?>> unwritten = new ArrayDeque<>();

	private final EventExecutor eventLoop;

	// Whether one thread at a time uses it, and waits for the answers.
	private boolean dedicated;

	private Duration timeout = Duration.ZERO;

	private boolean late;

	// The commands whose answers a thread waits for.
	private Collection<RedisCommand<byte[], byte[], ?>> together = List.of();

	SimulatedConnection(Actor client, SimulatedServer server, Supplier<@Nullable SimulatedServer> reachable,
			String name) {
		super(client, server, reachable, name);
		this.eventLoop = (EventExecutor) Proxy.newProxyInstance(EventExecutor.class.getClassLoader(),
				new Class<?>[] { EventExecutor.class }, this);
	}

	/**
	 * Returns the connection as Lettuce shows it.
	 * @return the connection
	 */
	@SuppressWarnings("unchecked")
	StatefulConnection<byte[], byte[]> asLettuce() {
		return (StatefulConnection<byte[], byte[]>) Proxy.newProxyInstance(StatefulConnection.class.getClassLoader(),
				new Class<?>[] { StatefulConnection.class }, this);
	}

	@Override
	@SuppressWarnings("unchecked")
	public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) {
		Object first = (arguments != null) ? arguments[0] : null;
		switch (method.getName()) {
			case "dispatch" -> {
				if (first instanceof Collection<?> commands) {
					commands.forEach((command) -> dispatch((RedisCommand<byte[], byte[], ?>) command));
					if (this.dedicated) {
						await(List.copyOf((Collection<RedisCommand<byte[], byte[], ?>>) commands));
					}
				}
				else if (first != null) {
					dispatch((RedisCommand<byte[], byte[], ?>) first);
				}
				return first;
			}
			case "execute" -> {
				// Of the event loop, which writes queued commands together.
				if (first != null) {
					server().scheduler().at(server().scheduler().now() + 10_000, client(), (Runnable) first);
				}
				return null;
			}
			case "isOpen" -> {
				return link() != null && !isClosed();
			}
			case "getTimeout" -> {
				return this.late ? Duration.ofNanos(1) : this.timeout;
			}
			case "setTimeout" -> {
				this.timeout = (Duration) Objects.requireNonNull(first);
				return null;
			}
			case "equals" -> {
				return proxy == first;
			}
			case "hashCode" -> {
				return 0;
			}
			case "toString" -> {
				return "SimulatedConnection";
			}
			default -> throw new UnsupportedOperationException(method.toString());
		}
	}

	/**
	 * Dedicates the connection to threads that wait for its answers, one at a time. Such
	 * a thread waits while it sends its commands, so that the later wait for the answers
	 * takes no time.
	 * @param limit the time limit for the answers
	 */
	void dedicate(Duration limit) {
		this.dedicated = true;
		this.timeout = limit;
	}

	private void await(List<RedisCommand<byte[], byte[], ?>> commands) {
		Scheduler scheduler = server().scheduler();
		CompletableFuture<?> last = (CompletableFuture<?>) commands.get(commands.size() - 1);
		this.together = commands;
		scheduler.await(last, scheduler.now() + this.timeout.toNanos());
		this.together = List.of();
		this.late = !last.isDone();
	}

	/**
	 * Sends a command as soon as the connection is open.
	 * @param command the command
	 */
	void dispatch(RedisCommand<byte[], byte[], ?> command) {
		Link current = link();
		if (isClosed()) {
			command.completeExceptionally(new RedisException("Connection is closed"));
		}
		else if (current != null) {
			write(command, current);
		}
		else {
			this.unwritten.add(command);
		}
	}

	private void write(RedisCommand<byte[], byte[], ?> command, Link current) {
		if (command.isDone()) {
			return;
		}
		ByteBuf buffer = Unpooled.buffer(512);
		command.encode(buffer);
		List<String> words = Resp.words(buffer);
		this.written.add(command);
		current.toServer(() -> server().execute(current.name(), words,
				(reply) -> current.toClient(() -> answered(command, reply))));
	}

	@Override
	void connected(Link opened) {
		Deque<RedisCommand<byte[], byte[], ?>> again = this.written;
		this.written = new ArrayDeque<>();
		again.forEach((command) -> write(command, opened));
		while (!this.unwritten.isEmpty()) {
			write(this.unwritten.remove(), opened);
		}
	}

	private void answered(RedisCommand<byte[], byte[], ?> command, Object reply) {
		if (this.written.poll() != command) {
			throw new IllegalStateException("A reply belongs to another command");
		}
		ThreadExecutorMap.apply(() -> complete(command, reply), this.eventLoop).run();
	}

	private static void complete(RedisCommand<byte[], byte[], ?> command, Object reply) {
		CommandOutput<byte[], byte[], ?> output = command.getOutput();
		if (reply instanceof RedisError error) {
			output.setError(ByteBuffer.wrap(error.text().getBytes(StandardCharsets.ISO_8859_1)));
		}
		else {
			read((Reply) reply, output);
		}
		command.complete();
	}

	private static void read(Reply reply, CommandOutput<byte[], byte[], ?> output) {
		if (reply instanceof Reply.Int integer) {
			output.set(integer.value());
		}
		else if (reply instanceof Reply.Bulk bulk) {
			output.set(ByteBuffer.wrap(bulk.value().getBytes(StandardCharsets.ISO_8859_1)));
		}
		else if (reply instanceof Reply.Status status) {
			output.set(ByteBuffer.wrap(status.text().getBytes(StandardCharsets.ISO_8859_1)));
		}
		else if (reply instanceof Reply.Array array) {
			output.multi(array.elements().size());
			array.elements().forEach((element) -> read(element, output));
		}
		else {
			output.set((ByteBuffer) null);
		}
	}

	/**
	 * Returns whether a command that is not answered mentions a text, or one that a
	 * thread has sent together with such a command.
	 * @param text the text, such as an owner token
	 * @return whether such a command is open
	 */
	boolean isOpenFor(String text) {
		return mentions(this.together, text) || mentions(this.written, text) || mentions(this.unwritten, text);
	}

	private static boolean mentions(Collection<RedisCommand<byte[], byte[], ?>> commands, String text) {
		return commands.stream().anyMatch((command) -> {
			ByteBuf buffer = Unpooled.buffer(512);
			command.getArgs().encode(buffer);
			return buffer.toString(StandardCharsets.ISO_8859_1).contains(text);
		});
	}

	@Override
	void close() {
		super.close();
		List<RedisCommand<byte[], byte[], ?>> open = new ArrayList<>(this.written);
		open.addAll(this.unwritten);
		this.written.clear();
		this.unwritten.clear();
		open.forEach((command) -> command.completeExceptionally(new RedisException("Connection closed")));
	}

}
