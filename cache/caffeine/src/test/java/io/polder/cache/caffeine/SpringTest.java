package io.polder.cache.caffeine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.cache.Codec;
import io.polder.cache.OffHeapCache;
import io.polder.cache.caffeine.CaffeineSnippets.FuturesCacheManager;
import io.polder.cache.caffeine.CaffeineSnippets.User;

import org.junit.jupiter.api.Test;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.caffeine.CaffeineCacheManager;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** A program of Spring whose cached methods keep what they return in an off-heap cache. */
class SpringTest extends ContenderFixture {
    /** What is cached. */
    public interface Users {
        @Cacheable("users")
        User find(long id);

        @CachePut(cacheNames = "users", key = "#user.id()")
        User save(User user);

        @CacheEvict("users")
        void delete(long id);

        /** One with a name that is too large for a cache of 16 MiB. */
        @Cacheable("users")
        User large(long id);
    }

    /** Counts how often it is asked. */
    static final class SlowUsers implements Users {
        final AtomicInteger asked = new AtomicInteger();

        @Override
        public User find(long id) {
            return new User(id, "user " + id + ", asked " + asked.incrementAndGet());
        }

        @Override
        public User save(User user) {
            return user;
        }

        @Override
        public void delete(long id) {}

        @Override
        public User large(long id) {
            return new User(id, "x".repeat(3 << 20) + asked.incrementAndGet());
        }
    }

    /** The program, but for its cache. */
    @Configuration(proxyBeanMethods = false)
    @EnableCaching
    public static class Program {
        @Bean
        CacheManager cacheManager(OffHeapCache<Long, User> users) {
            return CaffeineSnippets.cacheManager(users);
        }

        @Bean
        Users users() {
            return new SlowUsers();
        }
    }

    /** The same as in {@link Users}, of those who do not wait. */
    public static class LaterUsers {
        private final AtomicInteger asked = new AtomicInteger();

        private User ask(long id) {
            return new User(id, "user " + id + ", asked " + asked.incrementAndGet());
        }

        @Cacheable("users")
        public User now(long id) {
            return ask(id);
        }

        @Cacheable("users")
        public CompletableFuture<User> future(long id) {
            return CompletableFuture.supplyAsync(() -> ask(id));
        }

        @Cacheable("users")
        public Mono<User> mono(long id) {
            return Mono.fromSupplier(() -> ask(id));
        }

        @Cacheable(cacheNames = "users", sync = true)
        public CompletableFuture<User> one(long id) {
            return CompletableFuture.supplyAsync(() -> ask(id));
        }

        @Cacheable(cacheNames = "users", sync = true)
        public Mono<User> oneMono(long id) {
            return Mono.fromSupplier(() -> ask(id));
        }

        @Cacheable(cacheNames = "users", sync = true)
        public CompletableFuture<User> pending(long id) {
            ask(id);
            return new CompletableFuture<>();
        }

        public int asked() {
            return asked.get();
        }

        @Cacheable("users")
        public Flux<User> all(long id) {
            return Flux.just(ask(id), ask(id));
        }

        @Cacheable("users")
        public Mono<User> none(long id) {
            return Mono.empty();
        }

        @Cacheable(cacheNames = "users", unless = "#result == null")
        public CompletableFuture<User> noneUnless(long id) {
            return CompletableFuture.completedFuture(null);
        }

        @Cacheable("users")
        public Mono<User> failing(long id) {
            return Mono.error(new IOException("gone"));
        }

        @CachePut(cacheNames = "users", key = "#user.id()")
        public Mono<User> save(User user) {
            return Mono.just(user);
        }

        @CacheEvict("users")
        public Mono<Void> delete(long id) {
            return Mono.empty();
        }
    }

    /** The program of those. */
    @Configuration(proxyBeanMethods = false)
    @EnableCaching
    public static class LaterProgram {
        @Bean
        CacheManager cacheManager(OffHeapCache<Long, User> users) {
            CaffeineCacheManager manager = new FuturesCacheManager();
            manager.setAllowNullValues(false);
            register(users, manager);
            return manager;
        }

        @Bean
        LaterUsers users() {
            return new LaterUsers();
        }
    }

    @SuppressWarnings("unchecked") // as in the example
    private static void register(OffHeapCache<Long, User> users, CaffeineCacheManager manager) {
        com.github.benmanes.caffeine.cache.Cache<?, ?> view = OffHeapCaffeine.asCaffeine(users);
        manager.registerCustomCache(
                "users", (com.github.benmanes.caffeine.cache.Cache<Object, Object>) view);
    }

    private OffHeapCache<Long, User> openUsers() {
        return OffHeapCache.<Long, User>builder()
                .keyCodec(Codec.longs())
                .valueCodec(Codec.records(User.class))
                .maximumBytes(16 << 20)
                .pool(pool)
                .recordStats()
                .build();
    }

    @Test
    void cachedMethod_isCalledOnceForAKey() {
        OffHeapCache<Long, User> cache = openUsers();
        try (AnnotationConfigApplicationContext program =
                new AnnotationConfigApplicationContext()) {
            program.getBeanFactory().registerSingleton("offHeapUsers", cache);
            program.register(Program.class);
            program.refresh();
            Users users = program.getBean(Users.class);
            User first = users.find(7);
            assertThat(first.name()).isEqualTo("user 7, asked 1");
            assertThat(users.find(7)).isEqualTo(first).isNotSameAs(first);
            assertThat(users.find(8).name()).isEqualTo("user 8, asked 2");
            assertThat(cache.asMap()).containsOnlyKeys(7L, 8L);
            assertThat(cache.stats().hits()).isEqualTo(1);
            users.save(new User(7, "saved"));
            assertThat(users.find(7).name()).isEqualTo("saved");
            users.delete(7);
            assertThat(cache.asMap()).containsOnlyKeys(8L);
            assertThat(users.find(7).name()).isEqualTo("user 7, asked 3");

            assertThat(users.large(9).name()).endsWith("x4");
            assertThat(users.large(9).name()).endsWith("x5");
            assertThat(users.save(new User(7, "x".repeat(3 << 20))).name()).hasSize(3 << 20);
            assertThat(users.find(7).name()).isEqualTo("user 7, asked 6");
        } finally {
            cache.close();
        }
    }

    @Test
    void methodThatReturnsAFuture_isCalledOnceForAKey() {
        OffHeapCache<Long, User> cache = openUsers();
        try (AnnotationConfigApplicationContext program =
                new AnnotationConfigApplicationContext()) {
            program.getBeanFactory().registerSingleton("offHeapUsers", cache);
            program.register(LaterProgram.class);
            program.refresh();
            LaterUsers users = program.getBean(LaterUsers.class);
            for (int i = 0; i < 2; i++) {
                assertThat(users.future(1).join().name()).isEqualTo("user 1, asked 1");
                assertThat(users.mono(2).blockOptional().orElseThrow().name())
                        .isEqualTo("user 2, asked 2");
                assertThat(users.one(3).join().name()).isEqualTo("user 3, asked 3");
                assertThat(users.oneMono(4).blockOptional().orElseThrow().name())
                        .isEqualTo("user 4, asked 4");
                assertThat(users.mono(1).blockOptional().orElseThrow().name())
                        .isEqualTo("user 1, asked 1");
                assertThat(users.now(2).name()).isEqualTo("user 2, asked 2");
            }
            assertThat(cache.asMap()).containsOnlyKeys(1L, 2L, 3L, 4L);
            users.save(new User(1, "saved")).block();
            assertThat(users.one(1).join().name()).isEqualTo("saved");
            users.delete(1).block();
            assertThat(cache.asMap()).containsOnlyKeys(2L, 3L, 4L);

            int asked = users.asked();
            assertThat(users.pending(5)).isNotDone();
            assertThat(users.pending(5)).isNotDone();
            assertThat(users.asked()).isEqualTo(asked + 2);
            assertThatThrownBy(() -> users.failing(5).block()).hasRootCauseMessage("gone");
            assertThatThrownBy(() -> users.none(5).block())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("not allow null");
            assertThat(users.noneUnless(5).join()).isNull();
            assertThatThrownBy(() -> users.all(5).blockLast())
                    .isInstanceOf(ClassCastException.class)
                    .hasMessageContaining("ArrayList");
            assertThat(cache.asMap()).containsOnlyKeys(2L, 3L, 4L);
        } finally {
            cache.close();
        }
    }

    @Test
    void cacheOfTheManager_doesWhatSpringPromises() {
        OffHeapCache<Long, User> cache = closing(openUsers());
        Cache users =
                Objects.requireNonNull(CaffeineSnippets.cacheManager(cache).getCache("users"));
        User ada = new User(1, "Ada");
        assertThat(users.get(1L)).isNull();
        assertThat(users.putIfAbsent(1L, ada)).isNull();
        assertThat(Objects.requireNonNull(users.putIfAbsent(1L, new User(1, "Eve"))).get())
                .isEqualTo(ada);
        assertThat(users.get(1L, User.class)).isEqualTo(ada);
        assertThat(users.get(2L, () -> new User(2, "Bob"))).isEqualTo(new User(2, "Bob"));
        assertThatThrownBy(
                        () ->
                                users.get(
                                        3L,
                                        () -> {
                                            throw new IOException("gone");
                                        }))
                .isInstanceOf(Cache.ValueRetrievalException.class)
                .hasRootCauseMessage("gone");
        assertThat(users.evictIfPresent(1L)).isTrue();
        assertThat(users.evictIfPresent(1L)).isFalse();
        User large = new User(1, "x".repeat(3 << 20));
        users.put(5L, ada);
        users.put(5L, large);
        assertThat(users.get(5L)).isNull();
        assertThat(users.putIfAbsent(5L, large)).isNull();
        assertThat(users.get(5L)).isNull();
        assertThat(users.get(5L, () -> large)).isEqualTo(large);
        assertThat(users.get(5L)).isNull();
        assertThat(users.invalidate()).isTrue();
        assertThat(cache.size()).isZero();
    }

    /** Why the example for futures is there. */
    @Test
    void managerOfCaffeine_methodThatReturnsAFuture_isRefusedBySpring() {
        OffHeapCache<Long, User> cache = closing(openUsers());
        Cache users =
                Objects.requireNonNull(CaffeineSnippets.cacheManager(cache).getCache("users"));
        assertThatThrownBy(() -> users.retrieve(1L))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("No Caffeine AsyncCache available");
    }

    @Test
    void managerThatAllowsNull_isRefusedSpringsObjectForIt() {
        OffHeapCache<Long, User> cache = closing(openUsers());
        CaffeineCacheManager manager = new CaffeineCacheManager();
        register(cache, manager);
        Cache users = Objects.requireNonNull(manager.getCache("users"));
        assertThatThrownBy(() -> users.put(1L, null)).isInstanceOf(ClassCastException.class);
        assertThat(cache.size()).isZero();
    }
}
