package io.lockable.sample;

import java.net.URI;
import java.util.List;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/**
 * The PostgreSQL server of the application.
 */
@Component
@Profile("!shop")
@ConditionalOnProperty(name = "distributed-lock.store", havingValue = "postgresql")
class PostgresBackend implements Backend {

	private static final int DEFAULT_PORT = 5432;

	private final URI url;

	PostgresBackend(@Value("${spring.datasource.url}") String url) {
		this.url = URI.create(url.substring("jdbc:".length()));
	}

	@Override
	public String host() {
		return this.url.getHost();
	}

	@Override
	public int port() {
		return (this.url.getPort() > 0) ? this.url.getPort() : DEFAULT_PORT;
	}

	@Override
	public List<String> arguments(int port) {
		String query = (this.url.getRawQuery() != null) ? "?" + this.url.getRawQuery() : "";
		return List.of("--distributed-lock.store=postgresql",
				"--spring.datasource.url=jdbc:postgresql://127.0.0.1:" + port + this.url.getRawPath() + query);
	}

	@Override
	public boolean canRestart() {
		return false;
	}

	@Override
	public void restart() {
		throw new UnsupportedOperationException();
	}

}
