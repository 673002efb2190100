package io.polder.lab.experiments.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.MemoryPool;
import io.polder.netty.PolderByteBufAllocator;

import org.junit.jupiter.api.Test;

import java.io.IOException;

/** What is measured is right: requests come whole, and answers go out whole. */
class HttpServerTest {
    private static final int BODY_MAX = 1 << 20;

    @Test
    void exchange_sizesOfAllKinds_areAnswered() throws Exception {
        MemoryPool pool = MemoryPool.builder().name("http").build();
        try (HttpServer server = new HttpServer(new PolderByteBufAllocator(pool), BODY_MAX);
                HttpConnection connection = new HttpConnection(server.port(), BODY_MAX)) {
            for (int bytes = 1; bytes <= BODY_MAX; bytes *= 4) {
                connection.exchange(bytes, BODY_MAX / bytes);
            }
            assertThat(pool.stats().committedBytes()).isPositive();
        }
        pool.close();
    }

    @Test
    void exchange_serverThatRefuses_isFoundOut() throws Exception {
        MemoryPool pool = MemoryPool.builder().name("http").build();
        try (HttpServer server = new HttpServer(new PolderByteBufAllocator(pool), 1000);
                HttpConnection connection = new HttpConnection(server.port(), BODY_MAX)) {
            connection.exchange(1000, 10);
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> connection.exchange(1001, 10));
        }
        pool.close();
    }
}
