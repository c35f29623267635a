package io.lockable.simulation.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.netty.buffer.ByteBuf;

/**
 * The <a href="https://redis.io/docs/latest/develop/reference/protocol-spec/">protocol of
 * Redis</a>, version 2.
 */
public final class Resp {

	private Resp() {
	}

	/**
	 * Encodes a reply.
	 * @param reply a {@link Reply} or a {@link RedisError}
	 * @return the bytes
	 */
	public static byte[] encode(Object reply) {
		return text(reply).getBytes(StandardCharsets.ISO_8859_1);
	}

	private static String text(Object reply) {
		if (reply instanceof Reply.Array array) {
			StringBuilder text = new StringBuilder("*" + array.elements().size() + "\r\n");
			array.elements().forEach((element) -> text.append(text(element)));
			return text.toString();
		}
		if (reply instanceof Reply.Bulk bulk) {
			return "$" + bulk.value().length() + "\r\n" + bulk.value() + "\r\n";
		}
		if (reply instanceof Reply.Int integer) {
			return ":" + integer.value() + "\r\n";
		}
		if (reply instanceof RedisError error) {
			return "-" + error.text() + "\r\n";
		}
		return (reply instanceof Reply.Status status) ? "+" + status.text() + "\r\n" : "$-1\r\n";
	}

	/**
	 * Reads a command as the server does.
	 * @param buffer starts with a whole command
	 * @return the words of the command
	 */
	public static List<String> words(ByteBuf buffer) {
		long count = number(buffer);
		List<String> words = new ArrayList<>((int) count);
		for (int i = 0; i < count; i++) {
			int length = (int) number(buffer);
			words.add(buffer.readCharSequence(length, StandardCharsets.ISO_8859_1).toString());
			buffer.skipBytes(2);
		}
		return words;
	}

	private static long number(ByteBuf buffer) {
		buffer.skipBytes(1);
		long number = 0;
		for (byte digit = buffer.readByte(); digit != '\r'; digit = buffer.readByte()) {
			number = number * 10 + digit - '0';
		}
		buffer.skipBytes(1);
		return number;
	}

}
