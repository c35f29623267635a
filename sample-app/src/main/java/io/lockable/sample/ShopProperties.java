package io.lockable.sample;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the shop.
 *
 * @param redisPort the port of the Redis server that the sample starts or joins; 0 for
 * neither
 * @param thinkTime how long an order takes between looking at the stock and writing what
 * is left of it
 */
@ConfigurationProperties("shop")
record ShopProperties(@DefaultValue("16379") int redisPort, @DefaultValue("5ms") Duration thinkTime) {

}
