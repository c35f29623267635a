package io.lockable.benchmark.measure;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.stream.Stream;
import java.util.zip.DataFormatException;

import org.HdrHistogram.Histogram;

/**
 * A histogram of hand-off times or other times, in the form that a worker sends.
 *
 * @param encoded a compressed histogram in Base64
 */
public record HandOffs(String encoded) {

	/**
	 * Encodes a histogram.
	 * @param times the times, in nanoseconds
	 * @return the encoded histogram
	 */
	static HandOffs of(Histogram times) {
		ByteBuffer buffer = ByteBuffer.allocate(times.getNeededByteBufferCapacity());
		int length = times.encodeIntoCompressedByteBuffer(buffer);
		return new HandOffs(Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length)));
	}

	/**
	 * Merges the histograms of the workers.
	 * @param parts one histogram of each worker
	 * @return the times, in nanoseconds
	 */
	public static Histogram join(Stream<HandOffs> parts) {
		Histogram whole = histogram();
		parts.map(HandOffs::decode).forEach(whole::add);
		return whole;
	}

	private Histogram decode() {
		try {
			return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(Base64.getDecoder().decode(this.encoded)),
					0);
		}
		catch (DataFormatException ex) {
			throw new IllegalArgumentException("'encoded' must be a histogram", ex);
		}
	}

	static Histogram histogram() {
		Histogram histogram = new Histogram(2);
		histogram.setAutoResize(true);
		return histogram;
	}

}
