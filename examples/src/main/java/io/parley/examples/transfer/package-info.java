/**
 * Files and directories from one peer to another. {@link io.parley.examples.transfer.TransferProtocol} specifies what is said,
 * {@link io.parley.examples.transfer.FileSender} and {@link io.parley.examples.transfer.FileReceiver} are the two sides.
 * Each transfer runs on one thread of each side.
 */
@NullMarked
package io.parley.examples.transfer;

import org.jspecify.annotations.NullMarked;
