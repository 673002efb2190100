package io.polder.micrometer.boot;

import io.micrometer.core.instrument.MeterRegistry;
import io.polder.MemoryPool;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Shows the meters of all pools in an application that has a meter registry. Spring Boot finds it
 * by itself. {@code management.metrics.enable.polder=false} turns the meters off.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure"
                    + ".CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass({MeterRegistry.class, MemoryPool.class})
@ConditionalOnBean(MeterRegistry.class)
public class PolderMetricsAutoConfiguration {
    /** Spring makes it. */
    public PolderMetricsAutoConfiguration() {}

    /** What Spring Boot has bound to each of its registries; unbound when the context is closed. */
    @Bean
    @ConditionalOnMissingBean(name = "polderMetrics")
    AllPoolsBinder polderMetrics() {
        return new AllPoolsBinder();
    }
}
