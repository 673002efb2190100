package io.polder.agent;

import io.polder.agent.AgentOptions.CensusOptions;
import io.polder.agent.bridge.PolderArenas;
import io.polder.agent.census.Census;
import io.polder.agent.census.CensusResult;
import io.polder.agent.library.LazyJdk;
import io.polder.agent.library.Library;
import io.polder.agent.library.Log;
import io.polder.agent.rewrite.ArenaTransformer;
import io.polder.agent.rewrite.BridgeClasses;
import io.polder.agent.rewrite.LoadedClasses;
import io.polder.agent.rewrite.Outcomes;
import io.polder.agent.rewrite.Plan;

import org.jspecify.annotations.Nullable;

import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandle;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The agent of this JVM.
 *
 * <pre>
 *   start, then --first class that opens arenas--&gt; bridge --first arena--&gt; library
 * </pre>
 *
 * <p>Little is loaded at the start, and no lambda is made: the program is not to wait.
 *
 * <p><b>Locking.</b> The monitor guards all fields. Classes are transformed while it is held, so
 * what transforms, {@link BridgeClasses} and {@link LazyJdk}, never takes it.
 */
final class ActiveAgent implements Function<String, MethodHandle>, Runnable {
    private static final Log LOG = new StandardError();

    private final Instrumentation instrumentation;
    private final LazyJdk jdk;
    private final Outcomes outcomes = new Outcomes();
    private final ArenaTransformer transformer;
    private final @Nullable Output report;
    private Pooling pooling;
    private @Nullable Library library;
    private @Nullable Census census;
    private @Nullable CensusOptions counted;
    private boolean hooked;

    private ActiveAgent(AgentOptions options, Instrumentation instrumentation) {
        this.instrumentation = instrumentation;
        this.jdk = new LazyJdk(instrumentation);
        this.pooling = options.pooling();
        this.report = options.report();
        BridgeClasses bridge = new BridgeClasses(jdk, this);
        Plan nothing = new Plan(false, false, null);
        this.transformer = new ArenaTransformer(options.filter(), bridge, nothing, outcomes);
    }

    /**
     * Starts the agent.
     *
     * @param options what it is to do
     * @param attached whether the program runs already
     */
    static ActiveAgent start(
            AgentOptions options, Instrumentation instrumentation, boolean attached) {
        ActiveAgent agent = new ActiveAgent(options, instrumentation);
        if (options.pooling() != Pooling.OFF) {
            Library.prepare(agent.jdk, LOG);
        }
        agent.begin(options.census());
        instrumentation.addTransformer(agent.transformer, true);
        if (attached) {
            agent.transformLoaded();
        }
        return agent;
    }

    /**
     * Does more: pools if nothing was pooled so far, counts if nothing is counted now.
     *
     * @throws OptionException if that cannot be
     */
    synchronized void extend(AgentOptions options) {
        if (options.report() != null || !options.filter().isOpen()) {
            throw new OptionException(
                    "the agent is there already: report, include and exclude must stay as they"
                            + " are");
        }
        Pooling wanted = options.pooling();
        if (wanted != Pooling.OFF && pooling != Pooling.OFF && wanted != pooling) {
            throw new OptionException("the agent is there already: pool=" + pooling);
        }
        if (options.census() != null && counted != null) {
            throw new OptionException("a census must end before the next one");
        }
        boolean changed = wanted != Pooling.OFF && pooling == Pooling.OFF;
        if (changed) {
            pooling = wanted;
            if (census != null) {
                census.openBy(confined(), shared());
            }
        }
        if (changed || options.census() != null) {
            begin(options.census());
            transformLoaded();
        }
    }

    private synchronized void begin(@Nullable CensusOptions wanted) {
        if (wanted != null) {
            Census all = census;
            if (all == null) {
                all = new Census(wanted.sites());
                census = all;
            }
            counted = wanted;
            all.start();
            if (wanted.seconds() != 0) {
                endLater(wanted.seconds());
            }
        }
        if (!hooked && (wanted != null || report != null)) {
            hooked = true;
            Runtime.getRuntime().addShutdownHook(new Thread(this, "polder-agent-end"));
        }
        plan();
    }

    private void plan() {
        Census all = census;
        transformer.follow(
                new Plan(
                        pooling.confined(),
                        pooling.shared(),
                        all == null || counted == null ? null : all.sites()));
    }

    private void transformLoaded() {
        new LoadedClasses(instrumentation, transformer, outcomes).transformAgain();
    }

    private void endLater(int seconds) {
        Thread.ofPlatform()
                .daemon()
                .name("polder-census")
                .start(
                        () -> {
                            try {
                                TimeUnit.SECONDS.sleep(seconds);
                            } catch (InterruptedException e) {
                                // Ends now.
                            }
                            endCensus();
                        });
    }

    /** Writes what was counted and has the program's classes as they were before. */
    private synchronized void endCensus() {
        writeCensus();
        if (instrumentation.isRetransformClassesSupported()) {
            plan();
            transformLoaded();
        }
    }

    private void writeCensus() {
        CensusOptions options = counted;
        Census all = census;
        counted = null;
        CensusResult result = all == null ? null : all.result();
        if (options == null || all == null || result == null) {
            return;
        }
        all.stop();
        Outcomes.Summary classes = outcomes.summary();
        // JSON first: who waits for the text finds both.
        if (options.json() != null) {
            options.json().write(result.json(classes));
        }
        if (options.text() != null) {
            options.text().write(result.text(classes));
        }
    }

    /** The end of the JVM. */
    @Override
    public synchronized void run() {
        writeCensus();
        if (report != null) {
            report.write(reportText());
        }
    }

    private String reportText() {
        Outcomes.Summary classes = outcomes.summary();
        StringBuilder text = new StringBuilder();
        Library used = library;
        text.append(used == null ? "No arena was pooled.\n" : used.report().get());
        text.append("\nAgent: pool=").append(pooling);
        text.append(", library: ").append(used == null ? "not needed" : used.origin());
        text.append("\n  ").append(classes.rewritten().size()).append(" classes rewritten, ");
        text.append(classes.leftCount()).append(" left as they are\n");
        for (String left : classes.left()) {
            text.append("  ").append(left).append('\n');
        }
        return text.toString();
    }

    /** The handles behind the bridge, by their names there. */
    @Override
    public synchronized MethodHandle apply(String name) {
        return switch (name) {
            case PolderArenas.POOLED_CONFINED -> library().confined();
            case PolderArenas.POOLED_SHARED -> library().shared();
            case PolderArenas.COUNTED_CONFINED -> counting().confined();
            case PolderArenas.COUNTED_SHARED -> counting().shared();
            default -> throw new AssertionError(name);
        };
    }

    private Census counting() {
        Census all = census;
        if (all == null) {
            throw new AssertionError("counted code must come after the census");
        }
        all.openBy(confined(), shared());
        return all;
    }

    private MethodHandle confined() {
        return pooling.confined() ? library().confined() : Library.jdkConfined();
    }

    private MethodHandle shared() {
        return pooling.shared() ? library().shared() : Library.jdkShared();
    }

    /** Says what prevents pooling; no lambda, which would be made at the start. */
    private static final class StandardError implements Log {
        @Override
        public void say(String line) {
            Output.say(line);
        }
    }

    private synchronized Library library() {
        Library found = library;
        if (found == null) {
            found = Library.find(jar(), jdk.get(), LOG);
            library = found;
        }
        return found;
    }

    private static Path jar() {
        try {
            return Path.of(
                    ActiveAgent.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException("the agent's jar must be a file", e);
        }
    }
}
