package io.lockable.simulation;

import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.DefaultMessage;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * A subscription of Lettuce, which subscribes again after each reconnection. Messages may
 * be lost, late or doubled.
 */
final class SimulatedSubscription extends Reconnecting {

	private final MessageListener listener;

	private final String channel;

	SimulatedSubscription(Actor client, SimulatedServer server, Supplier<@Nullable SimulatedServer> reachable,
			String name, MessageListener listener, String channel) {
		super(client, server, reachable, name);
		this.listener = listener;
		this.channel = channel;
	}

	@Override
	void connected(Link opened) {
		opened.toServer(() -> {
			server().subscribe(this.channel, opened, (body) -> opened.publish(() -> receive(body)));
			opened.toClient(() -> {
				if (this.listener instanceof SubscriptionListener confirmed) {
					confirmed.onChannelSubscribed(bytes(this.channel), 1);
				}
			});
		});
	}

	private void receive(String body) {
		if (!isClosed()) {
			this.listener.onMessage(new DefaultMessage(bytes(this.channel), bytes(body)), null);
		}
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.ISO_8859_1);
	}

}
