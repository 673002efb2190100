package io.polder.cache.jcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.jcache.JCacheCacheManager;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import java.io.Serializable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Spring Boot, which finds the provider on the class path and has its caches made by it. */
class SpringBootTest {
    /** What the cached method returns. */
    record Price(String article, long cents) implements Serializable {}

    /** What is cached. */
    static class Prices {
        private final AtomicInteger calls = new AtomicInteger();

        @Cacheable("prices")
        public Price of(String article) {
            calls.incrementAndGet();
            return new Price(article, article.length() * 100L);
        }

        @Cacheable("prices")
        public String listOf(String article) {
            calls.incrementAndGet();
            return article.repeat(3 << 20);
        }

        @Cacheable("prices")
        public CompletableFuture<Price> later(String article) {
            calls.incrementAndGet();
            return CompletableFuture.completedFuture(new Price(article, 1));
        }

        public int calls() {
            return calls.get();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableCaching
    static class Application {
        @Bean
        Prices prices() {
            return new Prices();
        }
    }

    /** A limit of our own, which Spring Boot takes for all caches. */
    @Configuration(proxyBeanMethods = false)
    static class Limited {
        @Bean
        PolderConfiguration<Object, Object> limits() {
            return new PolderConfiguration<>().setMaximumBytes(16 << 20);
        }
    }

    private static ConfigurableApplicationContext start(Class<?>... classes) {
        return new SpringApplication(classes)
                .run(
                        "--spring.cache.type=jcache",
                        "--spring.cache.cache-names=prices",
                        "--spring.main.banner-mode=off",
                        "--spring.main.web-application-type=none");
    }

    @Test
    void cacheableMethod_whoseValueIsTooLarge_returnsIt() {
        try (ConfigurableApplicationContext context = start(Application.class, Limited.class)) {
            Prices prices = context.getBean(Prices.class);
            for (int i = 0; i < 2; i++) {
                assertThat(prices.listOf("rose")).hasSize(12 << 20);
                assertThat(prices.of("tulip")).isEqualTo(new Price("tulip", 500));
            }
            assertThat(prices.calls()).isEqualTo(3);
        }
    }

    /** As Spring has it for any JCache, which docs/cache.md says. */
    @Test
    void cacheableMethod_thatReturnsAFuture_isRefusedBySpring() {
        try (ConfigurableApplicationContext context = start(Application.class)) {
            Prices prices = context.getBean(Prices.class);
            assertThatThrownBy(() -> prices.later("tulip"))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("does not support CompletableFuture-based retrieval");
            assertThat(prices.calls()).isZero();
        }
    }

    @Test
    void cacheableMethod_isCalledOnceForEachArgument() {
        try (ConfigurableApplicationContext context = start(Application.class)) {
            assertThat(context.getBean(CacheManager.class)).isInstanceOf(JCacheCacheManager.class);
            Prices prices = context.getBean(Prices.class);
            for (int i = 0; i < 10; i++) {
                assertThat(prices.of("tulip")).isEqualTo(new Price("tulip", 500));
                assertThat(prices.of("rose")).isEqualTo(new Price("rose", 400));
            }
            assertThat(prices.calls()).isEqualTo(2);
            JCacheCacheManager manager = context.getBean(JCacheCacheManager.class);
            assertThat(manager.getCacheManager()).isInstanceOf(PolderCacheManager.class);
        }
    }
}
