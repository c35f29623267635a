package io.lockable.sample;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.jdbc.autoconfigure.DataSourceProperties;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/**
 * The PostgreSQL server of the application. Instances inherit the environment of the lab,
 * such as {@code SPRING_DATASOURCE_PASSWORD}.
 */
@Component
@Profile("!shop")
@ConditionalOnProperty(name = "distributed-lock.store", havingValue = "postgresql")
class PostgresBackend implements Backend {

	private static final int DEFAULT_PORT = 5432;

	private final DataSourceProperties properties;

	private final URI url;

	PostgresBackend(DataSourceProperties properties) {
		this.properties = properties;
		this.url = URI.create(properties.determineUrl().substring("jdbc:".length()));
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
		List<String> arguments = new ArrayList<>(List.of("--distributed-lock.store=postgresql",
				"--spring.datasource.url=jdbc:postgresql://127.0.0.1:" + port + this.url.getRawPath() + query));
		if (this.properties.getUsername() != null) {
			arguments.add("--spring.datasource.username=" + this.properties.getUsername());
		}
		return arguments;
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
