package io.parley.bench.contender;

import java.util.List;
import java.util.function.Consumer;

/**
 * A stack under test that passes each message of one publisher to many receivers, each of which is a party of its own: a peer or a
 * connection. The publisher runs in one process, the receivers in another. {@link java.util.ServiceLoader} locates the implementations
 * in the order of the services file, which is the order of the report.
 *
 * <p>The messages are {@link Signal#TIMED}, with sequence numbers from 0, so that each receiver can prove what it got (see
 * {@link FanOutReceipt}).
 */
public interface FanOutContender {

    /** Returns the short, stable name: the key in {@code results.json}. */
    String name();

    /** Returns one sentence for the list of contenders. */
    String description();

    /** Returns the contender of other suites that is the same software. This one is selected if that contender is selected. */
    String contender();

    /** Returns the names of the contenders to compare with this one, the most relevant first. */
    List<String> comparators();

    /** Returns the choices made at run time. Called in the contender's own processes. */
    String details();

    /** Returns whether a receiver can let the publisher drop messages for it, so that it does not stop the others when it stops. */
    boolean hasDroppingReceivers();

    /** Opens the publisher, which listens on loopback. */
    Publisher publish() throws Exception;

    /**
     * Connects one receiver to the address of a publisher. It gets the messages from some time after this method has returned, see
     * {@link Publisher#receivers}.
     *
     * @param isDropping whether messages are dropped for this receiver when it is slow; otherwise the publisher waits for it
     * @param receiver called for each message, one at a time and in the order of their arrival
     */
    AutoCloseable receive(String address, boolean isDropping, Consumer<MessageBytes> receiver) throws Exception;

    /** The publishing side. Used by one thread at a time. */
    interface Publisher extends AutoCloseable {

        /** Returns the address for {@link #receive}: one line. */
        String address();

        /** Returns the number of receivers that get the messages from now on. */
        int receivers();

        /** Prepares messages of {@code bytes} bytes. This call is not measured. */
        void prepare(int bytes);

        /** Sends a new message to all receivers. Waits while a receiver that does not drop messages has no room. */
        void send(long sequence) throws InterruptedException;
    }
}
