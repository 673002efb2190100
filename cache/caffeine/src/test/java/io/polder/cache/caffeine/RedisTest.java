package io.polder.cache.caffeine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.support.caching.CacheFrontend;
import io.polder.cache.Codec;
import io.polder.cache.OffHeapCache;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * An off-heap cache in front of a real Redis server, which says itself what has changed. Skipped
 * where there is no {@code redis-server} on the path.
 */
class RedisTest extends ContenderFixture {
    private static final Duration PATIENCE = Duration.ofSeconds(200);

    @TempDir Path folder;

    private static boolean isThere(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .anyMatch(each -> Files.isExecutable(Path.of(each, program)));
    }

    private static void await(String what, BooleanSupplier done) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!done.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waits for: " + what).isLessThan(end);
            Thread.sleep(5);
        }
    }

    /** A server, and the port of the loopback interface where it listens. */
    private record Server(Process process, int port) {}

    /** At a port that was free; another program may be faster, and then another one is tried. */
    private Server startServer() throws IOException, InterruptedException {
        Path log = folder.resolve("log");
        for (int attempt = 0; attempt < 5; attempt++) {
            int port;
            try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                port = free.getLocalPort();
            }
            Process process =
                    new ProcessBuilder(command(port))
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile())
                            .start();
            await("the server", () -> isReady(log) || !process.isAlive());
            if (process.isAlive()) {
                return new Server(process, port);
            }
        }
        throw new AssertionError("redis-server does not start: " + Files.readString(log));
    }

    private List<String> command(int port) {
        return List.of(
                "redis-server",
                "--port",
                Integer.toString(port),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--dir",
                folder.toString());
    }

    private static boolean isReady(Path log) {
        try {
            return Files.readString(log).contains("Ready to accept connections");
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Test
    void entries_areInvalidatedByTheServer() throws Exception {
        assumeTrue(
                isThere("redis-server"),
                "there is no redis-server on the path: install Debian's package redis-server");
        Server started = startServer();
        Process server = started.process;
        RedisURI uri = RedisURI.create("127.0.0.1", started.port);
        OffHeapCache<String, String> near =
                closing(
                        OffHeapCache.<String, String>builder()
                                .keyCodec(Codec.strings())
                                .valueCodec(Codec.strings())
                                .maximumBytes(64 << 20)
                                .recordStats()
                                .pool(pool)
                                .build());
        try (RedisClient client = RedisClient.create(uri);
                StatefulRedisConnection<String, String> connection = client.connect();
                StatefulRedisConnection<String, String> others = client.connect()) {
            RedisCommands<String, String> elsewhere = others.sync();
            CacheFrontend<String, String> redis = RedisSnippets.nearTier(near, connection);
            elsewhere.set("user:7", "Ada");
            assertThat(redis.get("user:7")).isEqualTo("Ada");
            assertThat(near.getIfPresent("user:7")).isEqualTo("Ada");
            long asked = calls(elsewhere);
            for (int i = 0; i < 100; i++) {
                assertThat(redis.get("user:7")).isEqualTo("Ada");
            }
            assertThat(calls(elsewhere)).as("reads that the server saw").isEqualTo(asked);
            elsewhere.set("user:7", "Bob");
            await("the server's word that it has changed", () -> near.size() == 0);
            assertThat(redis.get("user:7")).isEqualTo("Bob");
            elsewhere.del("user:7");
            await("the server's word that it was deleted", () -> near.size() == 0);
            assertThat(redis.get("user:7", () -> "loaded")).isEqualTo("loaded");
            assertThat(elsewhere.get("user:7")).isEqualTo("loaded");
            manyKeys(redis, elsewhere, near);
        } finally {
            server.destroy();
            if (!server.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                server.destroyForcibly();
            }
        }
    }

    private static void manyKeys(
            CacheFrontend<String, String> redis,
            RedisCommands<String, String> elsewhere,
            OffHeapCache<String, String> near)
            throws InterruptedException {
        for (int i = 0; i < 1000; i++) {
            elsewhere.set("many:" + i, "first " + i);
            assertThat(redis.get("many:" + i)).isEqualTo("first " + i);
        }
        assertThat(near.size()).isGreaterThanOrEqualTo(1000);
        for (int i = 0; i < 1000; i += 2) {
            elsewhere.set("many:" + i, "second " + i);
        }
        await(
                "the server's words that 500 have changed",
                () ->
                        near.asMap().keySet().stream()
                                .filter(key -> key.startsWith("many:"))
                                .noneMatch(key -> key.matches("many:\\d*[02468]")));
        for (int i = 0; i < 1000; i++) {
            assertThat(redis.get("many:" + i)).isEqualTo((i % 2 == 0 ? "second " : "first ") + i);
        }
    }

    /** How often the server was asked for a value. */
    private static long calls(RedisCommands<String, String> redis) {
        return redis.info("commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_get:calls="))
                .map(line -> line.replaceAll("cmdstat_get:calls=(\\d+),.*", "$1"))
                .mapToLong(Long::parseLong)
                .sum();
    }
}
