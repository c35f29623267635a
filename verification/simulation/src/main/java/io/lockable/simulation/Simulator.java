package io.lockable.simulation;

import java.util.function.UnaryOperator;

/**
 * The command line.
 */
public final class Simulator {

	private Simulator() {
	}

	/**
	 * Runs seeds.
	 * @param arguments the arguments
	 */
	public static void main(String[] arguments) {
		long from = Long.parseLong(arguments[0]);
		long to = Long.parseLong(arguments[1]);
		boolean traced = arguments.length > 2;
		long start = System.nanoTime();
		long grants = 0;
		long nanos = 0;
		for (long seed = from; seed <= to; seed++) {
			Simulation.Result result = new Simulation(seed, null, traced, UnaryOperator.identity()).run();
			grants += result.grants();
			nanos += result.nanos();
			if (traced) {
				result.trace().forEach(System.out::println);
			}
			if (traced || result.violation() != null) {
				System.out.println(seed + " " + Long.toHexString(result.hash()) + " " + result.grants() + " "
						+ result.faults().size() + " " + result.violation());
			}
		}
		double seconds = (System.nanoTime() - start) / 1e9;
		System.out.println((to - from + 1) / seconds + " seeds/s, " + grants / seconds + " grants/s, " + grants + " "
				+ nanos / 1e9 / seconds + " times real time");
	}

}
