/**
 * Transfers files and directories between two peers. {@link io.parley.examples.transfer.TransferProtocol} specifies the
 * protocol; {@link io.parley.examples.transfer.FileSender} and {@link io.parley.examples.transfer.FileReceiver} implement
 * it. Each transfer uses one thread of each peer.
 */
@NullMarked
package io.parley.examples.transfer;

import org.jspecify.annotations.NullMarked;
