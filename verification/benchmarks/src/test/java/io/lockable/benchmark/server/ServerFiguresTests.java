package io.lockable.benchmark.server;

import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ServerFiguresTests {

	private static final String EARLIER = """
			# Clients\r
			connected_clients:2\r
			total_net_input_bytes:100\r
			total_net_output_bytes:50\r
			used_cpu_sys:1.5\r
			used_cpu_user:2.5\r
			cmdstat_set:calls=10,usec=5,usec_per_call=0.5\r
			cmdstat_get:calls=1,usec=5,usec_per_call=5\r
			""";

	private static final String LATER = """
			connected_clients:7\r
			total_net_input_bytes:160\r
			total_net_output_bytes:80\r
			used_cpu_sys:2.0\r
			used_cpu_user:3.0\r
			cmdstat_set:calls=14,usec=5,usec_per_call=0.5\r
			cmdstat_get:calls=1,usec=5,usec_per_call=5\r
			cmdstat_client|setinfo:calls=2,usec=5,usec_per_call=2.5\r
			""";

	@Test
	void differenceIsWhatHappenedSince() {
		ServerFigures difference = ServerFigures.parse(LATER).since(ServerFigures.parse(EARLIER));
		assertThat(difference).isEqualTo(new ServerFigures(Map.of("set", 4L, "client|setinfo", 2L), 60, 30, 1, 7));
	}

}
