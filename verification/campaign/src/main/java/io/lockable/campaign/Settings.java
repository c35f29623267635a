package io.lockable.campaign;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.LongStream;

import io.lockable.campaign.contestant.Contestants;
import io.lockable.campaign.fault.Fault;
import io.lockable.campaign.fault.Faults;
import io.lockable.harness.process.Flags;

/**
 * The settings from the command line.
 *
 * @param faults the faults
 * @param seeds the seeds, each with one round for each fault
 * @param time the minimum duration of a round; the fault strikes repeatedly
 * @param contestants the names of the contestants
 * @param out the folder of the results
 */
record Settings(List<Fault> faults, List<Long> seeds, Duration time, List<String> contestants, Path out) {

	static final String USAGE = """
			Usage: run [flags]
			  --faults a,b       faults                                      (default: all)
			                     %s
			  --seeds 1-5,42     seeds; each is one round for each fault     (default: one by chance)
			  --seconds 5        how long a round lasts at least             (default: 0, one fault each)
			  --contestants a,b  contestants, or what their names start with (default: ours-mixed)
			                     %s
			  --out folder       where results and histories go              (default: target/campaign)

			A soak looks for what grows and what remains, without faults:
			  --soak 30m         its length, in s, m or h
			  --processes 4      worker processes, which the contestants take turns in
			  --keys 10000       locks
			  and --contestants, --seeds (one), --out as above
			""".formatted(wrap(Faults.ALL.stream().map(Fault::name).toList()), wrap(Contestants.names()));

	static final Set<String> FLAGS = Set.of("--faults", "--seeds", "--seconds", "--contestants", "--out");

	static Settings parse(String... arguments) {
		Flags flags = Flags.parse(FLAGS, arguments);
		return new Settings(flags.select("--faults", Faults.ALL, (name) -> List.of(fault(name))), seeds(flags),
				flags.seconds("--seconds", "0"), contestants(flags), Path.of(flags.get("--out", "target/campaign")));
	}

	static List<String> contestants(Flags flags) {
		return flags.select("--contestants", Contestants.select("ours-mixed"), Contestants::select);
	}

	private static Fault fault(String name) {
		Fault fault = Faults.named(name);
		fault.missing().ifPresent((reason) -> {
			throw new IllegalArgumentException("'fault' must be possible here, was " + name + ": " + reason);
		});
		return fault;
	}

	static List<Long> seeds(Flags flags) {
		List<Long> seeds = new ArrayList<>();
		String any = Integer.toString(ThreadLocalRandom.current().nextInt(1_000_000));
		for (String part : flags.get("--seeds", any).split(",", -1)) {
			String[] ends = part.split("-", -1);
			LongStream.rangeClosed(Long.parseLong(ends[0]), Long.parseLong(ends[ends.length - 1])).forEach(seeds::add);
		}
		return seeds;
	}

	private static String wrap(List<String> names) {
		return String.join(", ", names).replaceAll("(.{60,90},) ", "$1\n                     ");
	}

}
