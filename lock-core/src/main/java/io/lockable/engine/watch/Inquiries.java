package io.lockable.engine.watch;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.engine.shell.StoreAccess;
import io.lockable.store.MessagingLockStore;
import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Questions to other instances and their answers, as messages of the store. A message may
 * be lost, late or forged: an answer has the random number of its question, and each
 * question ends in time.
 *
 * <p>
 * Thread-safe.
 */
final class Inquiries {

	private static final Logger log = LoggerFactory.getLogger(Inquiries.class);

	private static final long ANSWER_TIME = TimeUnit.MILLISECONDS.toNanos(300);

	static final int MAX_LOCKS = 1_000;

	private static final Pattern ADDRESS = Pattern.compile("[0-9a-f]{1,64}");

	private final StoreAccess store;

	private final EngineRuntime runtime;

	private final LocalLocks locks;

	private final Map<Long, Question> open = new ConcurrentHashMap<>();

	Inquiries(StoreAccess store, EngineRuntime runtime, LocalLocks locks) {
		this.store = store;
		this.runtime = runtime;
		this.locks = locks;
	}

	/**
	 * Asks an instance for the holder of a lock.
	 * @param key the full name of the lock
	 * @param owner the owner token in the store
	 * @param address the address of the instance
	 * @return the holder; {@code null} without an answer in time, and for a lock that its
	 * instance only retains
	 */
	CompletionStage<@Nullable Hold> ask(String key, String owner, String address) {
		Question question = new Question();
		send(question, address, ANSWER_TIME, "holder", key, owner);
		return question.answer()
			.exceptionally((failure) -> List.of())
			.thenApply((reports) -> reports.stream()
				.flatMap((report) -> report.holds().stream())
				.filter((hold) -> hold.info().key().equals(key))
				.findFirst()
				.orElse(null));
	}

	/**
	 * Asks all other instances for all of their locks.
	 * @param nanos the time after which missing answers count as silent
	 * @return the question, whose answer fails with the store
	 */
	Question askAll(long nanos) {
		Question question = new Question();
		send(question, MessagingLockStore.EVERYONE, nanos, "all");
		return question;
	}

	private void send(Question question, String address, long nanos, Object... request) {
		long number = this.runtime.random().nextLong();
		String message = Wire.line("ask", number, this.store.instance()) + '\n' + Wire.line(request);
		if (message.length() > Wire.MAX_LENGTH) {
			question.end();
			return;
		}
		this.open.put(number, question);
		this.runtime.scheduleUnless(question.answer(), () -> this.store.dispatch(question::end),
				this.runtime.now() + nanos);
		boolean all = address.equals(MessagingLockStore.EVERYONE);
		this.store.send(address, message).whenComplete((receivers, failure) -> {
			if (failure != null) {
				question.fail(failure);
			}
			else if (receivers >= 0) {
				// This instance does not answer itself.
				question.sentTo(all ? Math.max(0, receivers - 1) : Math.min(1, receivers));
			}
			else if (!all) {
				question.sentTo(1);
			}
		});
		question.answer().whenComplete((reports, failure) -> this.open.remove(number));
	}

	/**
	 * Handles a message.
	 * @param message the message
	 */
	void received(String message) {
		ignoringFailures(() -> {
			if (message.length() > Wire.MAX_LENGTH) {
				throw new IllegalArgumentException("It is too long");
			}
			List<String> lines = List.of(message.split("\n"));
			Iterator<String> head = Wire.fields(lines.get(0));
			String kind = head.next();
			long number = Long.parseLong(head.next());
			if (kind.equals("answer")) {
				Question question = this.open.get(number);
				if (question != null) {
					question.add(Wire.read(lines.subList(1, lines.size())));
				}
			}
			else {
				answer(number, head.next(), Wire.fields(lines.get(1)));
			}
		});
	}

	private static void ignoringFailures(Runnable handling) {
		try {
			handling.run();
		}
		catch (RuntimeException ex) {
			log.debug("Failed to handle a message of another instance, which is ignored", LogSafe.of(ex));
		}
	}

	private void answer(long number, String address, Iterator<String> request) {
		if (ADDRESS.matcher(address).matches() && !address.equals(this.store.instance())) {
			String key = request.next().equals("holder") ? request.next() : null;
			String owner = (key != null) ? request.next() : "";
			// The answer may be long, and the first one may resolve a host name. The
			// thread that reads messages must not wait for it.
			this.runtime.execute(EngineRuntime.Work.CALLBACK, () -> ignoringFailures(() -> {
				Report report = (key != null) ? this.locks.reportHolder(key, owner) : this.locks.report(MAX_LOCKS);
				String answer = Wire.line("answer", number) + '\n' + Wire.write(report);
				this.store.dispatch(() -> this.store.send(address, answer));
			}));
		}
	}

}
