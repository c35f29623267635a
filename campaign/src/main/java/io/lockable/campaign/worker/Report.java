package io.lockable.campaign.worker;

/**
 * What a worker has left when a round is over.
 *
 * @param threads how many threads run in its JVM
 * @param entries how many locks and waiters its library still has an entry for
 */
public record Report(int threads, int entries) {

	static Report parse(String line) {
		String[] words = line.split(" ", -1);
		return new Report(Integer.parseInt(words[0]), Integer.parseInt(words[1]));
	}

	String line() {
		return this.threads + " " + this.entries;
	}

}
