package io.polder.lab.live;

import io.polder.lab.live.LiveException.Reason;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.RuntimeMBeanException;
import javax.management.openmbean.CompositeData;

/**
 * A pool of a running JVM. It may be closed at any time, and the JVM may end.
 *
 * <p>What it says is asked for as open data, without Polder's own classes: the JVM may have another
 * version of them.
 */
final class LivePool {
    private final long pid;
    private final MBeanServerConnection connection;
    private final ObjectName bean;
    private final String name;

    LivePool(long pid, MBeanServerConnection connection, ObjectName bean) {
        this.pid = pid;
        this.connection = connection;
        this.bean = bean;
        this.name = ObjectName.unquote(bean.getKeyProperty("name"));
    }

    /** How the JVM calls it. */
    String name() {
        return name;
    }

    /** The name, and a number where several pools have it; may be printed. */
    String label() {
        String number = bean.getKeyProperty("number");
        return Printable.line(name) + (number == null ? "" : " #" + Printable.line(number));
    }

    /** The report; null if the pool was closed meanwhile. */
    @Nullable String report() throws LiveException {
        return (String) ask(() -> connection.invoke(bean, "report", null, null));
    }

    /** The map; null if the pool was closed meanwhile. */
    @Nullable String map() throws LiveException {
        return (String) ask(() -> connection.invoke(bean, "map", null, null));
    }

    /** All figures, of one moment; null if the pool was closed meanwhile. */
    @Nullable CompositeData statistics() throws LiveException {
        return (CompositeData) ask(() -> connection.getAttribute(bean, "Statistics"));
    }

    private interface Question {
        Object answer() throws JMException, IOException;
    }

    private @Nullable Object ask(Question question) throws LiveException {
        try {
            return question.answer();
        } catch (InstanceNotFoundException closed) {
            return null;
        } catch (RuntimeMBeanException gone) {
            if (gone.getCause() instanceof IllegalStateException) {
                return null; // nobody has the pool any more
            }
            throw new IllegalStateException("pool " + label() + " does not answer", gone);
        } catch (JMException refused) {
            throw new IllegalStateException("pool " + label() + " does not answer", refused);
        } catch (IOException ended) {
            throw wentAway(pid, ended);
        }
    }

    static LiveException wentAway(long pid, IOException ended) {
        return new LiveException(
                Reason.WENT_AWAY, "Process " + pid + " went away while it was looked at.", ended);
    }
}
