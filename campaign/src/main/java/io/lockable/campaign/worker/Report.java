package io.lockable.campaign.worker;

/**
 * What a worker has at a moment: in the middle of a soak, or when a round is over.
 *
 * @param threads how many threads run in its JVM
 * @param entries how many locks and waiters its library has an entry for
 * @param heap the bytes of its heap that are reachable
 * @param descriptors how many files and connections are open
 * @param operations how many locks it has acquired in a soak
 */
public record Report(int threads, int entries, long heap, long descriptors, long operations) {

	static Report parse(String line) {
		String[] words = line.split(" ", -1);
		return new Report(Integer.parseInt(words[0]), Integer.parseInt(words[1]), Long.parseLong(words[2]),
				Long.parseLong(words[3]), Long.parseLong(words[4]));
	}

	String line() {
		return this.threads + " " + this.entries + " " + this.heap + " " + this.descriptors + " " + this.operations;
	}

}
