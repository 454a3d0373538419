package io.parley.examples.forward;

import java.io.IOException;
import java.net.Socket;

/** Opens the other socket of a connection that is forwarded. */
@FunctionalInterface
public interface OnwardConnector {

    /**
     * Connects. Called on the thread of the connection, so it may block.
     *
     * @param accepted the socket that was accepted. It is reset if this method throws
     * @return the socket to which its bytes go, and from which bytes come back. The caller closes it
     * @throws IOException if that is impossible; the message is for the user
     */
    Socket connect(Socket accepted) throws IOException;
}
