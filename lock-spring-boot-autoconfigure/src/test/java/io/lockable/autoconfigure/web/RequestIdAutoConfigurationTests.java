package io.lockable.autoconfigure.web;

import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.spring.request.RequestIdFilter;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RequestIdAutoConfiguration}.
 */
class RequestIdAutoConfigurationTests {

	private static final AutoConfigurations CONFIGURATIONS = AutoConfigurations
		.of(DistributedLockAutoConfiguration.class, RequestIdAutoConfiguration.class);

	private final WebApplicationContextRunner contextRunner = new WebApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory")
		.withConfiguration(CONFIGURATIONS);

	@Test
	void headerPropertyIsUsed() {
		this.contextRunner.withPropertyValues("distributed-lock.request-id.header=X-Request-Id").run((context) -> {
			MockHttpServletResponse response = new MockHttpServletResponse();
			context.getBean(RequestIdFilter.class)
				.doFilter(new MockHttpServletRequest(), response, (req, res) -> assertThat(res).isNotNull());
			assertThat(response.getHeaderNames()).containsExactly("X-Request-Id");
		});
	}

	@Test
	void disabledRequestIdHasNoFilter() {
		this.contextRunner.withPropertyValues("distributed-lock.request-id.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RequestIdFilter.class));
	}

	@Test
	void filterOfTheApplicationWins() {
		RequestIdFilter own = new RequestIdFilter("Own");
		this.contextRunner.withBean(RequestIdFilter.class, () -> own)
			.run((context) -> assertThat(context).getBean(RequestIdFilter.class).isSameAs(own));
	}

	@Test
	void applicationWithoutWebHasNoFilter() {
		new ApplicationContextRunner().withPropertyValues("distributed-lock.store=memory")
			.withConfiguration(CONFIGURATIONS)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RequestIdFilter.class));
	}

}
