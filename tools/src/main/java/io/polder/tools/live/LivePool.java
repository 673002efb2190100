package io.polder.tools.live;

import io.polder.tools.attach.AttachException;
import io.polder.tools.attach.AttachException.Problem;
import io.polder.tools.attach.JvmProcess;
import io.polder.tools.terminal.Printable;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import javax.management.Attribute;
import javax.management.AttributeNotFoundException;
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
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

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

    /** In which order pools of its name were opened; 1 for the first. */
    long number() {
        String number = bean.getKeyProperty("number");
        return number != null && NUMBER.matcher(number).matches() ? Long.parseLong(number) : 1;
    }

    /** The name and the number, as it is asked for. */
    String numberedName() {
        return name + " #" + number();
    }

    /** The name, and a number where it is needed; may be printed. */
    String label() {
        return PoolLabel.of(name, number());
    }

    /** What JSON says of it: its name, and the number where several pools have that name. */
    Map<String, Object> json() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", name);
        String number = bean.getKeyProperty("number");
        if (number != null) {
            map.put("number", NUMBER.matcher(number).matches() ? Long.valueOf(number) : number);
        }
        return map;
    }

    /** The report; null if the pool was closed meanwhile. */
    @Nullable String report() throws AttachException {
        return (String) ask(() -> connection.invoke(bean, "report", null, null));
    }

    /** The map; null if the pool was closed meanwhile. */
    @Nullable CompositeData map() throws AttachException {
        return (CompositeData) ask(() -> connection.invoke(bean, "map", null, null));
    }

    /** All figures, of one moment; null if the pool was closed meanwhile. */
    @Nullable CompositeData statistics() throws AttachException {
        return (CompositeData) ask(() -> connection.getAttribute(bean, "Statistics"));
    }

    /** What its shrinkers say; empty if the pool was closed meanwhile, or is of an older Polder. */
    List<String> shrinkers() throws AttachException {
        Object lines =
                ask(
                        () -> {
                            try {
                                return connection.getAttribute(bean, "Shrinkers");
                            } catch (AttributeNotFoundException older) {
                                return new String[0];
                            }
                        });
        return lines instanceof String[] found ? List.of(found) : List.of();
    }

    /**
     * Makes it look for leaks of what is opened from now on.
     *
     * @return whether it can; true as well if the pool was closed meanwhile
     */
    boolean watch(String detection) throws AttachException {
        return ask(
                        () -> {
                            try {
                                connection.setAttribute(
                                        bean, new Attribute("LeakDetection", detection));
                                return true;
                            } catch (AttributeNotFoundException older) {
                                return false;
                            }
                        })
                != Boolean.FALSE;
    }

    private interface Question {
        Object answer() throws JMException, IOException;
    }

    private @Nullable Object ask(Question question) throws AttachException {
        try {
            return question.answer();
        } catch (InstanceNotFoundException closed) {
            return null;
        } catch (RuntimeMBeanException gone) {
            if (gone.getCause() instanceof IllegalStateException) {
                return null; // nobody has the pool any more
            }
            throw silent(gone);
        } catch (JMException refused) {
            throw silent(refused);
        } catch (IOException ended) {
            throw JvmProcess.ended(pid, ended);
        }
    }

    private AttachException silent(Exception why) {
        return new AttachException(
                Problem.FAILED,
                "pool "
                        + label()
                        + " does not answer: "
                        + Printable.of(String.valueOf(why.getMessage())),
                why);
    }
}
