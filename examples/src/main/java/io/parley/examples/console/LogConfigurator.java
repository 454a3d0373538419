package io.parley.examples.console;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;

/**
 * Configures the log: warnings on the standard error, or all events with {@code --verbose}. The configuration is code and
 * not a file, because parsing a file takes a fifth of a second at each start. {@link java.util.ServiceLoader} loads it.
 */
public final class LogConfigurator extends ContextAwareBase implements Configurator {

    private static final String LEVEL = "parley.log";

    /** Enables the log of all events. Must be called before the first logger is created. */
    public static void verbose() {
        System.setProperty(LEVEL, "DEBUG");
    }

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        PrintableLayout layout = new PrintableLayout(context);
        layout.start();
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setContext(context);
        encoder.setLayout(layout);
        encoder.start();
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setTarget("System.err");
        appender.setEncoder(encoder);
        appender.start();
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.toLevel(System.getProperty(LEVEL), Level.WARN));
        root.addAppender(appender);
        // The debug events of Netty cover every buffer and would hide those of Parley.
        context.getLogger("io.netty").setLevel(Level.WARN);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
}
