package io.parley.examples.console;

import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.Context;
import ch.qos.logback.core.LayoutBase;

/**
 * Writes an event in one line, then the stack trace of its failure. Characters that are harmful on a terminal are replaced,
 * because an event may contain text of another peer.
 */
final class PrintableLayout extends LayoutBase<ILoggingEvent> {

    private final PatternLayout head = new PatternLayout();

    PrintableLayout(Context context) {
        setContext(context);
        head.setContext(context);
        head.setPattern("%d{HH:mm:ss.SSS} %-5level %logger{20}: %nopex");
    }

    @Override
    public void start() {
        head.start();
        super.start();
    }

    @Override
    public String doLayout(ILoggingEvent event) {
        String line =
                head.doLayout(event) + TextFormatter.oneLine(event.getFormattedMessage()) + System.lineSeparator();
        IThrowableProxy failure = event.getThrowableProxy();
        return failure == null ? line : line + TextFormatter.lines(ThrowableProxyUtil.asString(failure));
    }
}
