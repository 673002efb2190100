package io.polder.tools.html;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

import org.jspecify.annotations.Nullable;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * A Chromium without a window, told by its DevTools protocol what to open. It cannot reach any
 * network: its proxy is a port at which nobody listens.
 *
 * <p>It is looked for in {@value #VARIABLE}, and in the path under its usual names.
 */
final class Chromium implements AutoCloseable {
    /** Names the browser; then its absence is a failure. */
    static final String VARIABLE = "POLDER_CHROMIUM";

    private static final List<String> NAMES =
            List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
    private static final long ANSWER_SECONDS = 200;

    private final Process process;
    private final HttpClient http = HttpClient.newHttpClient();
    private final ObjectMapper json = new ObjectMapper();
    private final AtomicInteger ids = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
    private final List<String> complaints = new CopyOnWriteArrayList<>();
    private final WebSocket socket;
    private @Nullable String session;

    private Chromium(Process process, URI devTools) {
        this.process = process;
        this.socket =
                http.newWebSocketBuilder()
                        .buildAsync(devTools, new Listener())
                        .orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS)
                        .join();
    }

    /** The browser of this machine, if there is one. */
    static Optional<Path> find() {
        String named = System.getenv(VARIABLE);
        if (named != null && !named.isEmpty()) {
            return Optional.of(Path.of(named));
        }
        String path = System.getenv("PATH");
        return Stream.of((path == null ? "" : path).split(File.pathSeparator))
                .filter(directory -> !directory.isEmpty())
                .flatMap(directory -> NAMES.stream().map(name -> Path.of(directory, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Starts a browser with a profile of its own. */
    static Chromium start(Path browser, Path profile) throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(
                                browser.toString(),
                                "--headless=new",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--disable-dev-shm-usage",
                                "--hide-scrollbars",
                                "--no-first-run",
                                "--proxy-server=127.0.0.1:9",
                                "--proxy-bypass-list=<-loopback>",
                                "--remote-debugging-port=0",
                                "--user-data-dir=" + profile,
                                "about:blank")
                        .redirectErrorStream(true)
                        .redirectOutput(profile.resolve("output.txt").toFile())
                        .start();
        Path port = profile.resolve("DevToolsActivePort");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(ANSWER_SECONDS);
        while (!Files.exists(port) || Files.readAllLines(port).size() < 2) {
            if (!process.isAlive() || System.nanoTime() > end) {
                process.destroyForcibly();
                throw new IOException(
                        "The browser does not start: "
                                + Files.readString(profile.resolve("output.txt")));
            }
            Thread.sleep(20);
        }
        List<String> lines = Files.readAllLines(port);
        return new Chromium(process, URI.create("ws://127.0.0.1:" + lines.get(0) + lines.get(1)));
    }

    /**
     * Opens a tab of a size, as on a screen, in light or dark colours; it knows nothing of what
     * pages of other tabs have stored.
     */
    void openTab(int width, int height, String scheme) {
        complaints.clear();
        session = null;
        JsonNode context = send("Target.createBrowserContext", object());
        JsonNode target =
                send(
                        "Target.createTarget",
                        object().put("url", "about:blank")
                                .put("browserContextId", context.get("browserContextId").asText()));
        session =
                send(
                                "Target.attachToTarget",
                                object().put("targetId", target.get("targetId").asText())
                                        .put("flatten", true))
                        .get("sessionId")
                        .asText();
        send("Page.enable", object());
        send("Runtime.enable", object());
        send("Log.enable", object());
        send("Network.enable", object());
        resize(width, height);
        ObjectNode media = object();
        media.putArray("features")
                .addObject()
                .put("name", "prefers-color-scheme")
                .put("value", scheme);
        send("Emulation.setEmulatedMedia", media);
    }

    /** Changes the size of the window. */
    void resize(int width, int height) {
        send(
                "Emulation.setDeviceMetricsOverride",
                object().put("width", width)
                        .put("height", height)
                        .put("deviceScaleFactor", 1)
                        .put("mobile", false));
    }

    /** Opens a file, and waits until its script says that all is drawn. */
    void open(Path file) throws InterruptedException {
        send("Page.navigate", object().put("url", file.toUri().toString()));
        awaitReady();
    }

    /** Waits until all charts are drawn. */
    void awaitReady() throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(ANSWER_SECONDS);
        while (!evaluate("document.documentElement?.dataset.ready ?? ''").asText().equals("yes")) {
            if (System.nanoTime() > end) {
                throw new AssertionError("the page is not ready: complaints=" + complaints);
            }
            Thread.sleep(20);
        }
    }

    /** The value of an expression of JavaScript. */
    JsonNode evaluate(String expression) {
        JsonNode result =
                send(
                        "Runtime.evaluate",
                        object().put("expression", expression).put("returnByValue", true));
        if (result.has("exceptionDetails")) {
            throw new AssertionError(expression + ": " + result.get("exceptionDetails"));
        }
        return result.path("result").path("value");
    }

    /** Presses a key, as {@code ArrowRight}. */
    void press(String key) {
        ObjectNode event = object().put("type", "keyDown").put("key", key);
        send("Input.dispatchKeyEvent", event);
        send("Input.dispatchKeyEvent", object().put("type", "keyUp").put("key", key));
    }

    /** Moves the mouse. */
    void point(double x, double y) {
        send(
                "Input.dispatchMouseEvent",
                object().put("type", "mouseMoved").put("x", x).put("y", y));
    }

    /** Keeps a picture of the whole page, or of its first screen. */
    void screenshot(Path file, boolean whole) throws IOException {
        JsonNode picture =
                send(
                        "Page.captureScreenshot",
                        object().put("format", "png").put("captureBeyondViewport", whole));
        Files.write(file, Base64.getDecoder().decode(picture.get("data").asText()));
    }

    /** Prints the page. */
    byte[] print() {
        JsonNode pdf = send("Page.printToPDF", object().put("printBackground", true));
        return Base64.getDecoder().decode(pdf.get("data").asText());
    }

    /** Errors and warnings of the page so far, and whatever it asked the network for. */
    List<String> complaints() {
        return List.copyOf(complaints);
    }

    /** Returns when none of its processes writes to the profile any more. */
    @Override
    public void close() {
        socket.abort();
        http.close();
        List<ProcessHandle> all =
                Stream.concat(Stream.of(process.toHandle()), process.descendants()).toList();
        process.destroy();
        all.forEach(Chromium::awaitEnd);
    }

    private static void awaitEnd(ProcessHandle one) {
        boolean _ =
                one.onExit()
                        .completeOnTimeout(one, ANSWER_SECONDS, TimeUnit.SECONDS)
                        .thenApply(ended -> ended.isAlive() && ended.destroyForcibly())
                        .join();
        one.onExit().join();
    }

    private ObjectNode object() {
        return json.createObjectNode();
    }

    private JsonNode send(String method, ObjectNode params) {
        int id = ids.incrementAndGet();
        ObjectNode message = object().put("id", id).put("method", method);
        message.set("params", params);
        if (session != null) {
            message.put("sessionId", session);
        }
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        answers.put(id, answer);
        socket.sendText(message.toString(), true)
                .orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS)
                .join();
        JsonNode found = answer.orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS).join();
        if (found.has("error")) {
            throw new AssertionError(method + ": " + found.get("error"));
        }
        return found.get("result");
    }

    private void received(String text) {
        JsonNode message;
        try {
            message = json.readTree(text);
        } catch (IOException e) {
            complaints.add("no JSON: " + text);
            return;
        }
        if (message.has("id")) {
            CompletableFuture<JsonNode> answer = answers.remove(message.get("id").asInt());
            if (answer != null) {
                answer.complete(message);
            }
            return;
        }
        JsonNode params = message.path("params");
        switch (message.path("method").asText()) {
            case "Runtime.exceptionThrown" -> complaints.add(params.toString());
            case "Runtime.consoleAPICalled" -> {
                if (List.of("error", "warning", "assert").contains(params.get("type").asText())) {
                    complaints.add(params.toString());
                }
            }
            case "Log.entryAdded" -> complaints.add(params.path("entry").toString());
            case "Network.requestWillBeSent" -> {
                String url = params.path("request").path("url").asText();
                if (!url.startsWith("file:") && !url.startsWith("about:")) {
                    complaints.add("network: " + url);
                }
            }
            default -> {}
        }
    }

    /** Puts messages together that come in parts. */
    private final class Listener implements WebSocket.Listener {
        private final List<CharSequence> parts = new ArrayList<>();

        @Override
        public @Nullable CompletionStage<?> onText(
                WebSocket webSocket, CharSequence data, boolean last) {
            parts.add(data.toString());
            if (last) {
                received(String.join("", parts));
                parts.clear();
            }
            webSocket.request(1);
            return null;
        }

        @Override
        public void onError(WebSocket webSocket, Throwable error) {
            answers.values().forEach(answer -> answer.completeExceptionally(error));
        }
    }
}
