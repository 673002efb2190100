package io.polder.micrometer.boot;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.tools.ToolProvider;

/** The application on the page of the module, as a new user would start it. */
@Tag("full")
@Tag("spring-boot")
class ReadmeTest {
    private static final Pattern APPLICATION =
            Pattern.compile(
                    "^```java\\n(?<program>package [^`]*)^```$.*?"
                            + "^```properties\\n(?<properties>[^`]*)^```$.*?"
                            + "`localhost:8080(?<metric>/actuator/metrics/[a-z.]*)`.*?"
                            + "`(?<prometheus>/actuator/prometheus)`",
                    Pattern.DOTALL | Pattern.MULTILINE);

    private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

    @Test
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void application_compiledAndStarted_showsPoldersMeters(@TempDir Path folder)
            throws IOException, InterruptedException {
        Matcher page = APPLICATION.matcher(Files.readString(Path.of("README.md")));
        assertThat(page.find()).isTrue();
        Path source = folder.resolve("Shop.java");
        Files.writeString(source, page.group("program"));
        Files.writeString(folder.resolve("application.properties"), page.group("properties"));
        String classPath = folder + File.pathSeparator + System.getProperty("java.class.path");
        int failed =
                ToolProvider.getSystemJavaCompiler()
                        .run(
                                null,
                                null,
                                null,
                                "-proc:none",
                                "-cp",
                                classPath,
                                "-d",
                                folder.toString(),
                                source.toString());
        assertThat(failed).isZero();
        Process application =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "-Dlogging.level.root=info",
                                "-cp",
                                classPath,
                                "com.example.Shop",
                                "--server.port=0")
                        .redirectErrorStream(true)
                        .start();
        CompletableFuture.delayedExecutor(300, TimeUnit.SECONDS) // else it could be read for ever
                .execute(application::destroyForcibly);
        try (BufferedReader out = application.inputReader(StandardCharsets.UTF_8);
                HttpClient client = HttpClient.newHttpClient()) {
            String server = "http://localhost:" + port(out);
            HttpResponse<String> metric = get(client, server + page.group("metric"));
            assertThat(metric.statusCode()).describedAs(metric.body()).isEqualTo(200);
            assertThat(metric.body()).contains("\"name\":\"polder.memory.committed\"", "common");
            assertThat(get(client, server + page.group("prometheus")).body())
                    .contains("polder_memory_committed_bytes{kind=\"pages\",pool=\"common\"}");
        } finally {
            application.destroyForcibly().waitFor();
        }
    }

    /** Where it listens, as its log says. */
    private static String port(BufferedReader out) throws IOException {
        StringBuilder log = new StringBuilder();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            Matcher port = PORT.matcher(line);
            if (port.find()) {
                return port.group(1);
            }
            log.append(line).append('\n');
        }
        throw new AssertionError("the application ended: " + log);
    }

    private static HttpResponse<String> get(HttpClient client, String address)
            throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(URI.create(address)).build(),
                HttpResponse.BodyHandlers.ofString());
    }
}
