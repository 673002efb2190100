package io.polder.micrometer.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Metrics;
import io.polder.MemoryPool;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** An application that has the jar on its class path, and says nothing of Polder. */
@Tag("spring-boot")
class ActuatorTest {
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    private static ConfigurableApplicationContext start(String... more) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setLogStartupInfo(false);
        String[] args = new String[more.length + 3];
        args[0] = "--server.port=0";
        args[1] = "--spring.main.banner-mode=off";
        args[2] = "--management.endpoints.web.exposure.include=metrics,prometheus";
        System.arraycopy(more, 0, args, 3, more.length);
        return application.run(args);
    }

    private static HttpResponse<String> get(ConfigurableApplicationContext context, String path)
            throws IOException, InterruptedException {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                    HttpRequest.newBuilder(
                                    URI.create("http://localhost:" + port + "/actuator/" + path))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    private static JsonNode figure(JsonNode meter) {
        return meter.get("measurements").get(0).get("value");
    }

    @Test
    void actuator_nothingConfigured_showsPoldersMeters() throws Exception {
        try (ConfigurableApplicationContext context = start();
                MemoryPool pool = MemoryPool.builder().name("of the application").build();
                Arena arena = pool.openShared()) {
            arena.allocate(3 << 20);
            assertThat(get(context, "metrics").body()).contains("polder.memory.committed");
            assertThat(get(context, "metrics/polder.pools").statusCode()).isEqualTo(200);
            HttpResponse<String> response =
                    get(context, "metrics/polder.memory.committed?tag=pool:of%20the%20application");
            assertThat(response.statusCode()).isEqualTo(200);
            JsonNode meter = JsonMapper.shared().readTree(response.body());
            assertThat(meter.get("baseUnit").asString()).isEqualTo("bytes");
            assertThat(figure(meter).asLong()).isGreaterThanOrEqualTo(3 << 20);
            HttpResponse<String> all = get(context, "metrics/polder.memory.committed");
            assertThat(all.statusCode()).isEqualTo(200);
            assertThat(figure(JsonMapper.shared().readTree(all.body())).asLong())
                    .isGreaterThanOrEqualTo(3 << 20);
            assertThat(all.body()).contains("common", "of the application", "chunks", "pages");
            assertThat(get(context, "prometheus").body())
                    .contains("polder_memory_committed_bytes{kind=\"pages\",pool=\"common\"}");
        }
        assertThat(Metrics.globalRegistry.find("polder.memory.used").meters()).isEmpty();
    }

    @Test
    void actuator_turnedOff_showsNone() throws Exception {
        try (ConfigurableApplicationContext context =
                start("--management.metrics.enable.polder=false")) {
            assertThat(get(context, "metrics/polder.memory.committed").statusCode()).isEqualTo(404);
            assertThat(get(context, "metrics/jvm.memory.used").statusCode()).isEqualTo(200);
        }
    }
}
