package io.lockable.campaign;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import io.lockable.campaign.contestant.Contestants;
import io.lockable.campaign.contestant.Topology;
import io.lockable.harness.process.Flags;

/**
 * The settings of a soak from the command line.
 *
 * @param time the duration of the soak
 * @param processes the number of worker processes
 * @param keys the number of locks
 * @param seed the seed of the workers' choices
 * @param contestants the names of the contestants, which the processes use in turn
 * @param out the folder of the results
 */
record SoakSettings(Duration time, int processes, int keys, long seed, List<String> contestants, Path out) {

	private static final Set<String> FLAGS = Set.of("--soak", "--processes", "--keys", "--seeds", "--contestants",
			"--out");

	SoakSettings {
		if (time.toSeconds() < 4 || processes < 1 || keys < 1) {
			throw new IllegalArgumentException(
					"'soak' must be at least 4s, 'processes' and 'keys' at least 1, was %ds, %d and %d"
						.formatted(time.toSeconds(), processes, keys));
		}
		if (contestants.stream().anyMatch((each) -> Contestants.kinds(each, Topology.STANDALONE).isEmpty())) {
			throw new IllegalArgumentException("'contestants' of a soak must be those of Redis, was " + contestants);
		}
	}

	static SoakSettings parse(String... arguments) {
		Flags flags = Flags.parse(FLAGS, arguments);
		List<Long> seeds = Settings.seeds(flags);
		if (seeds.size() != 1) {
			throw new IllegalArgumentException("'seeds' of a soak must be one number, was " + seeds);
		}
		return new SoakSettings(flags.duration("--soak", ""), Integer.parseInt(flags.get("--processes", "4")),
				Integer.parseInt(flags.get("--keys", "10000")), seeds.get(0), Settings.contestants(flags),
				Path.of(flags.get("--out", "target/campaign")));
	}

	/**
	 * Returns the time between two samples: ten seconds, or less for a short soak.
	 * @return the time
	 */
	Duration interval() {
		Duration part = this.time.dividedBy(16);
		return (part.toSeconds() < 10) ? part : Duration.ofSeconds(10);
	}

	/**
	 * Returns the contestants of the processes, which take turns.
	 * @return the name for each process
	 */
	List<String> workers() {
		return IntStream.range(0, this.processes)
			.mapToObj((process) -> this.contestants.get(process % this.contestants.size()))
			.toList();
	}

	String repeat() {
		return "./verification/campaign/run --soak %ds --processes %d --keys %d --seeds %d --contestants %s"
			.formatted(this.time.toSeconds(), this.processes, this.keys, this.seed, String.join(",", this.contestants));
	}

}
