package io.polder.agent;

import io.polder.agent.AgentOptions.CensusOptions;
import io.polder.agent.bridge.PolderArenas;
import io.polder.agent.bridge.PolderNetty;
import io.polder.agent.census.Census;
import io.polder.agent.census.CensusResult;
import io.polder.agent.census.Pooled;
import io.polder.agent.library.AgentJar;
import io.polder.agent.library.LazyJdk;
import io.polder.agent.library.Library;
import io.polder.agent.library.Log;
import io.polder.agent.library.NettyDefault;
import io.polder.agent.library.StackRoom;
import io.polder.agent.rewrite.ArenaTransformer;
import io.polder.agent.rewrite.BridgeClasses;
import io.polder.agent.rewrite.LoadedClasses;
import io.polder.agent.rewrite.NettyTransformer;
import io.polder.agent.rewrite.Outcomes;
import io.polder.agent.rewrite.Plan;
import io.polder.agent.rewrite.Printable;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
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
 * <p><b>Locking.</b> The monitor guards all fields. A class can be transformed while it is held, so
 * what transforms, {@link BridgeClasses} and {@link LazyJdk}, never takes it. Loaded classes are
 * transformed again without it: the program's loaders are asked for class files then, and another
 * thread may be in one of them, about to open the first arena, for which it takes the monitor. The
 * plan may change meanwhile; the thread that changed it last transforms after that.
 *
 * <p>The library is initialised with the monitor held, and where the program's own is being
 * initialised by another thread, that is waited for. Neither runs code of the program then, which
 * might open the first arena: what it has to log, it logs in threads for which nobody waits. Class
 * loaders and other agents may, while its classes are loaded.
 *
 * <p>What writes holds another one, which comes first: so the JVM does not end in the middle of a
 * file, and an arena does not wait for who reads a pipe.
 */
final class ActiveAgent implements Function<String, MethodHandle>, Runnable {
    private static final Log LOG = new StandardError(Output.STDERR);
    private static final int SITES_DEFAULT = 1000;

    /** The library's system property, which it reads when it is first used. */
    private static final String LEAKS = "polder.leaks";

    /** What the end takes of the Java heap, where some ten thousand classes are loaded. Guessed. */
    private static final int SPARE_BYTES = 2 << 20;

    /** In such pieces: collectors round large objects up. */
    private static final int PIECE_BYTES = 32 << 10;

    /** Only where so many times as much is free: it is the program's heap. */
    private static final int SPARE_SHARE = 4;

    /** How often is looked whether anybody still waits for a census. Guessed. */
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Instrumentation instrumentation;
    private final LazyJdk jdk;
    private final Outcomes outcomes = new Outcomes(LOG);
    private final ArenaTransformer transformer;
    private final AgentJar jar = new AgentJar();
    private final @Nullable Output report;
    private final BridgeClasses bridge;
    private final @Nullable NettyDefault netty;
    private Pooling pooling;
    private @Nullable Library library;
    private @Nullable Census census;
    private @Nullable CensusOptions counted;
    private boolean hooked;

    /** For the end, which comes also where the program has filled the Java heap. */
    @SuppressWarnings("UnusedVariable") // it takes the room until then
    private byte @Nullable [][] spare;

    /** Held by who writes. */
    private final Object writing = new Object();

    /** Whether the thread that holds the monitor is finding the library. */
    private boolean finding;

    /** Whether it was said that a handle cannot be had. */
    private boolean told;

    private ActiveAgent(AgentOptions options, Instrumentation instrumentation) {
        this.instrumentation = instrumentation;
        this.jdk = new LazyJdk(instrumentation, jar);
        Pooling wanted = options.pooling();
        this.pooling = wanted == null ? Pooling.OFF : wanted;
        this.report = options.report();
        this.bridge = new BridgeClasses(jdk, jar, this);
        // What is included says where arenas are pooled; of Netty the option itself says it.
        boolean servesNetty =
                options.netty() && !options.filter().excludes(NettyTransformer.CHOOSER);
        this.netty = servesNetty ? new NettyDefault(instrumentation, jar, jdk, LOG) : null;
        Plan nothing = new Plan(false, false, null);
        this.transformer = new ArenaTransformer(options.filter(), bridge, nothing, outcomes);
    }

    /**
     * Starts the agent: from now on classes are rewritten as they are loaded.
     *
     * @param options what it is to do
     */
    static ActiveAgent start(AgentOptions options, Instrumentation instrumentation) {
        if (options.leaks() != null && System.getProperty(LEAKS) == null) {
            System.setProperty(LEAKS, options.leaks());
        }
        ActiveAgent agent = new ActiveAgent(options, instrumentation);
        agent.openJar();
        if (agent.pooling != Pooling.OFF || agent.netty != null) {
            Library.prepare(agent.netty != null, agent.jdk, LOG);
        }
        agent.begin(options.census());
        instrumentation.addTransformer(agent.transformer, true);
        if (agent.netty != null) {
            instrumentation.addTransformer(new NettyTransformer(agent.bridge, agent.outcomes));
        }
        return agent;
    }

    /** Now, as it may be deleted or replaced before the program opens its first arena. */
    private void openJar() {
        try {
            jar.open();
        } catch (IOException e) {
            LOG.say("the agent's jar must be readable: " + e);
        }
    }

    /**
     * Does more: pools if nothing was pooled so far, counts if nothing is counted now.
     *
     * @throws OptionException if that cannot be
     */
    void extend(AgentOptions options) {
        if (beginMore(options)) {
            try {
                transformLoaded();
            } finally {
                endInTime(options.census());
            }
        }
    }

    /** Whether there is anything more to do. */
    private synchronized boolean beginMore(AgentOptions options) {
        if (options.report() != null || options.leaks() != null || !options.filter().isOpen()) {
            throw new OptionException(
                    "the agent is there already: report, leaks, include and exclude must stay as"
                            + " they are; polder leaks PID --watch changes what is looked for");
        }
        if (options.netty() && netty == null) {
            throw new OptionException("the agent is there already, and without netty");
        }
        Pooling wanted = options.pooling() == null ? pooling : options.pooling();
        boolean changed = wanted != pooling;
        if (changed && wanted == Pooling.OFF) {
            throw new OptionException("pooling cannot be switched off: pool=" + pooling);
        }
        if (changed && pooling != Pooling.OFF) {
            throw new OptionException("the agent is there already: pool=" + pooling);
        }
        checkCensus(options.census());
        if (changed) {
            Library.prepare(netty != null, jdk, LOG);
            pooling = wanted;
            if (census != null) {
                census.openBy(confined(), shared());
            }
        }
        boolean more = changed || options.census() != null;
        if (more) {
            begin(options.census());
        }
        return more;
    }

    /** Whether another census can begin. */
    private void checkCensus(@Nullable CensusOptions wanted) {
        if (wanted == null) {
            return;
        }
        if (counted != null) {
            throw new OptionException("a census must end before the next one");
        }
        OptionParser.checkApart(wanted.text(), wanted.json(), report);
        if (census != null && wanted.sites() != 0 && wanted.sites() != census.sitesMax()) {
            throw new OptionException("census.sites must stay as it is: " + census.sitesMax());
        }
    }

    private synchronized void begin(@Nullable CensusOptions wanted) {
        if (!hooked && (wanted != null || report != null)) {
            Runtime.getRuntime().addShutdownHook(new Thread(this, "polder-agent-end"));
            hooked = true;
        }
        if (wanted != null) {
            Census all = census;
            if (all == null) {
                all = new Census(wanted.sites() == 0 ? SITES_DEFAULT : wanted.sites());
                census = all;
            }
            counted = wanted;
            all.start();
        }
        plan();
        if (hooked && spare == null && freeBytes() / SPARE_SHARE > SPARE_BYTES) {
            spare = new byte[SPARE_BYTES / PIECE_BYTES][PIECE_BYTES];
        }
    }

    /** What is free of the Java heap, at least. */
    private static long freeBytes() {
        Runtime jvm = Runtime.getRuntime();
        return jvm.maxMemory() - jvm.totalMemory() + jvm.freeMemory();
    }

    private void plan() {
        Census all = census;
        transformer.follow(
                new Plan(
                        pooling.confined(),
                        pooling.shared(),
                        all == null || counted == null ? null : all.sites()));
    }

    /** Does what only an agent needs that comes to a running program. */
    void attached() {
        transformLoaded();
        if (netty != null) {
            netty.tellOfLoaded(NettyTransformer.CHOOSER);
        }
    }

    /** Rewrites classes that are loaded already. */
    private void transformLoaded() {
        new LoadedClasses(instrumentation, transformer, outcomes).transformAgain();
    }

    /**
     * Its seconds begin when the classes are rewritten in which it counts.
     *
     * @throws OptionException if no thread can be started that ends it; then it has ended
     */
    void endInTime(@Nullable CensusOptions options) {
        if (options == null || options.seconds() == 0) {
            return;
        }
        try {
            Thread.ofPlatform()
                    .daemon()
                    .name("polder-census")
                    .start(
                            () -> {
                                try {
                                    awaitEnd(options);
                                } catch (InterruptedException e) {
                                    // Ends now.
                                }
                                endCensus();
                            });
        } catch (OutOfMemoryError noThread) {
            dropCensus();
            throw new OptionException(
                    "census.seconds needs a thread, and none can be started: "
                            + noThread.getMessage());
        }
    }

    /** Ends what would never end, and tells nobody what was counted. */
    private void dropCensus() {
        synchronized (this) {
            counted = null;
            Census all = census;
            if (all != null) {
                all.stop();
            }
        }
        endCensus();
    }

    /** Until its time is over, or nobody waits for what it writes any more. */
    private static void awaitEnd(CensusOptions options) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(options.seconds());
        long left = end - System.nanoTime();
        while (left > 0 && options.hasReader()) {
            TimeUnit.NANOSECONDS.sleep(Math.min(left, LOOK_NANOS));
            left = end - System.nanoTime();
        }
    }

    /** Writes what was counted and has the program's classes as they were before. */
    private void endCensus() {
        try {
            synchronized (writing) {
                write(ended());
            }
        } finally {
            if (instrumentation.isRetransformClassesSupported()) {
                transformLoaded();
            }
        }
    }

    /** Counts no more; what is to be written of what was counted, if anything is. */
    private synchronized List<Text> ended() {
        CensusOptions options = counted;
        Census all = census;
        counted = null;
        spare = report == null ? null : spare;
        CensusResult result;
        try {
            result = all == null ? null : all.end();
        } finally {
            plan();
        }
        if (options == null || result == null) {
            return List.of();
        }
        if (options.seconds() != 0 && !options.hasReader()) {
            return List.of();
        }
        Outcomes.Summary classes = outcomes.summary();
        Pooled pooled = new Pooled(pooling.confined(), pooling.shared());
        List<Text> texts = new ArrayList<>();
        // JSON first: a reader that waits for the text finds both.
        if (options.json() != null) {
            texts.add(new Text(options.json(), result.json(classes, pooled)));
        }
        if (options.text() != null) {
            texts.add(new Text(options.text(), result.text(classes, pooled)));
        }
        return texts;
    }

    /** What is to be written, and where to. */
    private record Text(Output output, String text) {}

    private static void write(List<Text> texts) {
        for (Text each : texts) {
            each.output().write(each.text());
        }
    }

    /** The end of the JVM. */
    @Override
    public void run() {
        synchronized (this) {
            spare = null; // first: all else needs room
        }
        synchronized (writing) {
            try {
                write(ended());
            } finally {
                write(reported());
            }
        }
    }

    private synchronized List<Text> reported() {
        return report == null ? List.of() : List.of(new Text(report, reportText()));
    }

    private String reportText() {
        Outcomes.Summary classes = outcomes.summary();
        Library used = library == null ? usedByProgram() : library;
        String others = reportOfOthers(used);
        StringBuilder text = new StringBuilder();
        if (used != null && (others.isEmpty() || !used.isUnused())) {
            text.append(used.report().get());
        }
        text.append(text.isEmpty() || others.isEmpty() ? "" : "\n").append(others);
        if (netty != null) {
            text.append(netty.report());
        }
        if (library == null) {
            text.append(text.isEmpty() ? "" : "\n");
            text.append("No rewritten call opened an arena on the pool.\n");
        }
        text.append("\nAgent: pool=").append(pooling);
        text.append(", library: ").append(used == null ? "not needed" : used.origin());
        long rewritten = classes.rewrittenCount();
        text.append("\n  ").append(rewritten).append(rewritten == 1 ? " class" : " classes");
        text.append(" rewritten, ").append(classes.leftInWords()).append('\n');
        for (String left : classes.left()) {
            text.append("  ").append(left).append('\n');
        }
        if (classes.leftMore() > 0) {
            text.append("  and ").append(classes.leftMore()).append(" more\n");
        }
        return text.toString();
    }

    private String reportOfOthers(@Nullable Library used) {
        StringBuilder text = new StringBuilder();
        for (Class<?> type : instrumentation.getAllLoadedClasses()) {
            String pools = Library.reportOfOther(type, used);
            if (!pools.isEmpty()) {
                text.append(text.isEmpty() ? "" : "\n").append(titleOf(type.getClassLoader()));
                text.append(pools);
            }
        }
        return text.toString();
    }

    private static String titleOf(@Nullable ClassLoader loader) {
        String type = loader == null ? "of the JVM" : Printable.of(loader.getClass().getName());
        return "Of another copy of the library, which the agent does not use; its class loader is "
                + type
                + ":\n";
    }

    private @Nullable Library usedByProgram() {
        ClassLoader loader = ClassLoader.getSystemClassLoader();
        return Library.used(instrumentation.getInitiatedClasses(loader));
    }

    /**
     * The handles behind the bridge, by their names there.
     *
     * @throws IllegalStateException if what finds the library asks, as a logger might
     * @throws StackOverflowError if the stack is about to end; nothing has been tried then
     */
    @Override
    public synchronized MethodHandle apply(String name) {
        try {
            StackRoom.check();
            return find(name);
        } catch (Throwable e) {
            tell(name, e);
            throw e;
        }
    }

    /** Says what may stay so: not if there is too little stack, or while the library is found. */
    private void tell(String name, Throwable failure) {
        if (name.equals(PolderNetty.ALLOCATOR)) {
            netty().tell(failure.toString());
        } else if (!told && !finding && !(failure instanceof StackOverflowError)) {
            LOG.say("arenas are the JDK's for now: " + failure);
            told = true;
        }
    }

    private MethodHandle find(String name) {
        return switch (name) {
            case PolderArenas.POOLED_CONFINED -> library().confined();
            case PolderArenas.POOLED_SHARED -> library().shared();
            case PolderArenas.COUNTED_CONFINED -> counting().confined();
            case PolderArenas.COUNTED_SHARED -> counting().shared();
            case PolderNetty.ALLOCATOR -> netty().handle(library());
            default -> throw new AssertionError(name);
        };
    }

    private NettyDefault netty() {
        if (netty == null) {
            throw new AssertionError("Netty asks only where it was rewritten");
        }
        return netty;
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

    /**
     * Says what prevents pooling; no lambda, which would be made at the start, and nothing that is
     * loaded later, when the agent's jar may be damaged.
     */
    private record StandardError(Output output) implements Log {
        @Override
        public void say(String line) {
            output.write(Output.line(line));
        }
    }

    private synchronized Library library() {
        Library found = library;
        if (found == null) {
            if (finding) {
                throw new IllegalStateException("this thread is finding the library");
            }
            finding = true;
            try {
                found = Library.find(jar, jdk.get(), LOG);
                library = found;
            } finally {
                finding = false;
            }
        }
        return found;
    }
}
