package io.lockable.matrix;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/**
 * An application that locks without annotations.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class PlainApplication {

}
