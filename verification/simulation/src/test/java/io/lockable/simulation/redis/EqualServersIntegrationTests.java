package io.lockable.simulation.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lockable.harness.server.SteppedClock;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The simulated server answers as a real one, and then contains the same data. The clock
 * of the real server stands still between two calls.
 *
 * <p>
 * {@code -Dlockable.equal-calls=100000} sets the number of calls.
 */
class EqualServersIntegrationTests {

	private static final int CALLS = Integer.getInteger("lockable.equal-calls", 20_000);

	private static final int CALLS_PER_SEED = 500;

	private static final int CALLS_PER_DUMP = 10;

	private static final String DUMP = """
			local keys = redis.call('KEYS', '*')
			table.sort(keys)
			local time = redis.call('TIME')
			local now = time[1] * 1000 + math.floor(time[2] / 1000)
			local lines = {}
			for _, key in ipairs(keys) do
			  local kind, content = redis.call('TYPE', key).ok, ''
			  if kind == 'string' then
			    content = redis.call('GET', key)
			  elseif kind == 'list' then
			    content = '[' .. table.concat(redis.call('LRANGE', key, 0, -1), ', ') .. ']'
			  elseif kind == 'hash' then
			    local fields, values = redis.call('HKEYS', key), {}
			    table.sort(fields)
			    for _, field in ipairs(fields) do
			      values[#values + 1] = field .. '=' .. redis.call('HGET', key, field)
			    end
			    content = '{' .. table.concat(values, ', ') .. '}'
			  else
			    local scores, members = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES'), {}
			    for i = 1, #scores, 2 do
			      members[#members + 1] = scores[i] .. ':' .. scores[i + 1]
			    end
			    content = '[' .. table.concat(members, ', ') .. ']'
			  end
			  local rest = redis.call('PTTL', key)
			  local expiry = rest < 0 and 'forever' or string.format('%.0f', now + rest)
			  lines[#lines + 1] = key .. ' = ' .. kind .. ' ' .. content .. ' until ' .. expiry
			end
			return lines
			""";

	private long micros = 1_700_000_000_000_000L;

	@Test
	@Timeout(600)
	void randomCallsHaveEqualAnswersAndLeaveEqualData() {
		Assumptions.assumeTrue(SteppedClock.missing().isEmpty(), () -> SteppedClock.missing().orElse(""));
		SteppedClock clock = new SteppedClock();
		clock.freeze(this.micros);
		SimulatedRedis simulated = new SimulatedRedis(() -> this.micros);
		simulated.subscribe(RandomCalls.LISTENING, "listener");
		Set<String> kinds = new HashSet<>();
		try (RedisTestServer server = RedisServers.start(clock.executable());
				RedisClient client = RedisClient.create(RedisURI.create(server.host(), server.port()))) {
			client.connectPubSub().sync().subscribe(RandomCalls.LISTENING);
			RedisCommands<String, String> real = client.connect(new StringCodec(StandardCharsets.ISO_8859_1)).sync();
			for (int done = 0; done < CALLS; done += CALLS_PER_SEED) {
				RandomCalls calls = new RandomCalls(done);
				real.flushall();
				simulated.execute(List.of("FLUSHALL"));
				for (int i = 0; i < CALLS_PER_SEED; i++) {
					this.micros += calls.pause();
					clock.freeze(this.micros);
					List<String> words = latin1(calls.next());
					String answer = simulatedAnswer(simulated, words);
					assertThat(answer).as("call %d of seed %d: %s", i, done, words).isEqualTo(realAnswer(real, words));
					kinds.add(answer.substring(0, Math.min(2, answer.length())));
					if (i % CALLS_PER_DUMP == 0) {
						assertThat(simulated.dump()).as("after call %d of seed %d: %s", i, done, words)
							.isEqualTo(real.eval(DUMP, ScriptOutputType.MULTI));
					}
				}
			}
		}
		finally {
			clock.delete();
		}
		assertThat(kinds).as("grants, refusals and failures").hasSizeGreaterThan(5);
	}

	private static List<String> latin1(List<String> words) {
		return words.stream()
			.map((word) -> new String(word.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1))
			.toList();
	}

	private static String simulatedAnswer(SimulatedRedis simulated, List<String> words) {
		try {
			return text(simulated.execute(words));
		}
		catch (RedisError ex) {
			return "error";
		}
	}

	private static String text(Reply reply) {
		if (reply instanceof Reply.Array array) {
			List<String> elements = array.elements().stream().map(EqualServersIntegrationTests::text).toList();
			// Lettuce returns a list of one element as that element.
			return (elements.size() == 1) ? elements.get(0) : elements.toString();
		}
		if (reply instanceof Reply.Int integer) {
			return Long.toString(integer.value());
		}
		if (reply instanceof Reply.Bulk bulk) {
			return bulk.value();
		}
		return (reply instanceof Reply.Status status) ? status.text() : "null";
	}

	private static String realAnswer(RedisCommands<String, String> real, List<String> words) {
		CommandArgs<String, String> arguments = new CommandArgs<>(new StringCodec(StandardCharsets.ISO_8859_1));
		words.subList(1, words.size()).forEach((word) -> arguments.add(word.getBytes(StandardCharsets.ISO_8859_1)));
		try {
			List<Object> answers = new ArrayList<>(real.dispatch(CommandType.valueOf(words.get(0)),
					new NestedMultiOutput<>(new StringCodec(StandardCharsets.ISO_8859_1)), arguments));
			return (answers.size() == 1) ? String.valueOf(answers.get(0)) : answers.toString();
		}
		catch (RedisCommandExecutionException ex) {
			return "error";
		}
	}

}
