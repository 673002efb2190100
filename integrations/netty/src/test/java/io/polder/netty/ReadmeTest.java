package io.polder.netty;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The server on the page of the module, as a new user would start it. */
@Tag("newest-netty")
class ReadmeTest {
    private static final Pattern PROGRAM =
            Pattern.compile(
                    "^```java\\n(?<program>import .*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

    @Test
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void program_compiledAndStarted_echoesFromPoldersBlocks(@TempDir Path folder)
            throws IOException, InterruptedException {
        Matcher matcher = PROGRAM.matcher(Files.readString(Path.of("README.md")));
        assertThat(matcher.find()).isTrue();
        Path program = folder.resolve("Echo.java");
        Files.writeString(program, matcher.group("program"));
        Path err = folder.resolve("err");
        Process server =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                program.toString(),
                                "0")
                        .redirectError(err.toFile())
                        .start();
        CompletableFuture.delayedExecutor(300, TimeUnit.SECONDS) // else it could be read for ever
                .execute(server::destroyForcibly);
        try (BufferedReader out = server.inputReader(StandardCharsets.UTF_8)) {
            String listening = out.readLine();
            assertThat(listening)
                    .describedAs("%s", Files.readString(err))
                    .startsWith("listening at ");
            int port = Integer.parseInt(listening.substring(listening.lastIndexOf(':') + 1));
            for (String sent : new String[] {"hello", "once more"}) {
                assertThat(echo(port, sent)).isEqualTo(sent);
                String blocks = out.readLine();
                assertThat(blocks).startsWith("in Polder's blocks: ").doesNotEndWith(": 0");
            }
        } finally {
            server.destroyForcibly().waitFor();
        }
    }

    private static String echo(int port, String text) throws IOException {
        byte[] sent = text.getBytes(StandardCharsets.UTF_8);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write(sent);
            byte[] got = new byte[sent.length];
            new DataInputStream(socket.getInputStream()).readFully(got);
            return new String(got, StandardCharsets.UTF_8);
        }
    }
}
